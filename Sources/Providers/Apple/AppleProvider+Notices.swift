public import AuthEngine
public import Bytes
import Crypto
import Domain

// What Apple tells of its people.
extension AppleProvider {
    /// Reads `{"payload": "<JWS>"}` (Apple, "Processing changes for Sign in with Apple accounts").
    ///
    /// What can be judged without Apple's keys is judged first, so that nobody has us fetch them, or keep something, who
    /// does not even name a client of the team.
    public func notice(
        _ body: [UInt8],
        receivedAt moment: Timestamp,
        in team: TeamSnapshot
    ) async throws(ProviderFailure) -> ProviderNotice {
        guard let text = try? JSON.object(body, maxDepth: 4)["payload"]?.string,
            let token = try? UnverifiedJWT(text, maximumCount: Self.noticeLimit)
        else { throw Self.garbage("the body is no JSON with a JWS as its payload") }
        let claims = AppleNoticeClaims(token.unverifiedClaims)
        try claims.checkIssuer(service.issuer)
        guard let audience = claims.audience, let group = team.appleGroup(of: audience) else {
            throw ProviderFailure(
                .providerAudience,
                .none,
                because: "the notice is for no client of the team"
            )
        }
        try claims.checkTimes(at: moment)
        // Anybody may send notices: what no key of Apple's has signed by now is not waited for.
        _ = try await AppleIdentityToken.verify(
            text,
            upTo: Self.noticeLimit,
            keys: keys,
            publishedBy: moment
        )
        return ProviderNotice(
            id: claims.id ?? Hex.encode(SHA256.hash(text)),
            group: group,
            events: try claims.events(orAt: moment)
        )
    }

    /// A notice holds several events, and so more than a token of one person.
    private static let noticeLimit = 16 * 1024

    static func garbage(_ reason: String) -> ProviderFailure {
        ProviderFailure(.providerMalformed, .none, because: reason)
    }
}
