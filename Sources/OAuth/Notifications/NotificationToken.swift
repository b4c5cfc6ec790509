import Core
import Platform
import Registry

/// Content of a notification as it is sent.
struct NotificationToken: Sendable {
    let id: NotificationID
    let type: NotificationType
    let subject: Subject
    let appID: ClientID
    let eventTime: Timestamp
    /// Notification URL; nil if the App ID no longer has one.
    let url: String?
    /// Relay address that the app has of the user, for events about it: Pippin's, or that of the user's provider.
    let relayAddress: String?
    /// The team's spelling of the account deletion event: Apple's documents have two.
    var accountDeleteEvent: String

    /// Request body in Apple's form, `{"payload":"<JWS>"}`, signed with the key of the team's tokens.
    ///
    /// - Parameter base: the team's own issuer.
    /// - Throws: `NoSigningKey` when the team has no key, `SigningFailure` when OpenSSL fails.
    func body(signedBy team: TeamSnapshot, base: String, at moment: Timestamp) throws -> [UInt8] {
        var json = JSONWriter(capacity: 1536)
        json.member("payload", try team.sign(claims(of: team, base, at: moment), at: moment))
        return json.finish()
    }

    /// Apple's claims: `exp` is a day after `iat`, and `events` a string with JSON in it, as Apple sends and clients
    /// read it.
    private func claims(of team: TeamSnapshot, _ base: String, at moment: Timestamp) -> [UInt8] {
        let issued = moment - TokenLifetime.backdating
        var json = JSONWriter()
        json.member("iss", team.expectsApple(appID) ? appleIssuer : base)
        json.member("aud", appID.rawValue)
        json.member("iat", issued.seconds)
        json.member("exp", (issued + TokenLifetime.longestSigned).seconds)
        json.member("jti", id.rawValue)
        json.member("events", String(decoding: events, as: UTF8.self))
        return json.finish()
    }

    private var events: [UInt8] {
        var json = JSONWriter(capacity: 256)
        json.member("type", type == .accountDelete ? accountDeleteEvent : type.rawValue)
        json.member("sub", subject.rawValue)
        if type.isAboutEmail, let relayAddress {
            json.member("email", relayAddress)
            json.member("is_private_email", "true")
        }
        json.member("event_time", Int(eventTime.microseconds / 1000))
        return json.finish()
    }
}

extension TeamSnapshot {
    /// Whether the backend of a group of apps expects Apple's issuer: all its Service IDs do, or without any the primary
    /// App ID.
    fileprivate func expectsApple(_ primaryAppID: ClientID) -> Bool {
        let services = services.values.filter { apps[$0.appID]?.primaryAppID == primaryAppID }
        return services.isEmpty ? apps[primaryAppID]?.issuer == .apple : services.allSatisfy { $0.issuer == .apple }
    }
}
