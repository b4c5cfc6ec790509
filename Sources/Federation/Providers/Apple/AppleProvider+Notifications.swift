public import Core
import Crypto
public import OAuth
import Platform

// Server-to-server notifications from Apple.
extension AppleProvider {
    /// Reads `{"payload": "<JWS>"}` (Apple, "Processing changes for Sign in with Apple accounts").
    ///
    /// Checks that do not need Apple's keys come first, so that a request that does not even name a client of the team
    /// causes neither a fetch of the keys nor any storage.
    public func notification(_ body: [UInt8], receivedAt moment: Timestamp, in team: TeamSnapshot)
        async throws(UpstreamFailure) -> UpstreamNotification
    {
        guard let text = try? JSON.object(body, maxDepth: 4)["payload"]?.string,
            let token = try? UnverifiedJWT(text, maximumCount: Self.notificationLimit)
        else { throw Self.garbage("the body is no JSON with a JWS as its payload") }
        let claims = AppleNotificationClaims(token.unverifiedClaims)
        try claims.checkIssuer(service.issuer)
        guard let audience = claims.audience, let primaryAppID = team.appleGroup(of: audience) else {
            throw UpstreamFailure(.providerAudience, .none, because: "the notice is for no client of the team")
        }
        try claims.checkTimes(at: moment)
        // Unauthenticated clients can send notifications, so a key that Apple has not published by the time of arrival
        // is rejected instead of being retried.
        _ = try await AppleIdentityToken.verify(text, upTo: Self.notificationLimit, keys: keys, publishedBy: moment)
        return UpstreamNotification(
            id: claims.id ?? Hex.encode(SHA256.hash(text)), primaryAppID: primaryAppID,
            events: try claims.events(orAt: moment))
    }

    /// Maximum length in bytes: a notification holds several events, and so is longer than an identity token.
    private static let notificationLimit = 16 * 1024

    static func garbage(_ reason: String) -> UpstreamFailure {
        UpstreamFailure(.providerMalformed, .none, because: reason)
    }
}
