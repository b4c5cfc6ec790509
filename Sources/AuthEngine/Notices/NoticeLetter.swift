import Bytes
import Crypto
import Domain

/// A notice as it is sent.
struct NoticeLetter: Sendable {
    let id: NoticeID
    let type: NoticeType
    let subject: Subject
    let appID: ClientID
    let eventTime: Timestamp
    /// Where it goes, or nil when the App ID has no notification URL any more.
    let url: String?
    /// The person's relay address as the app knows it, for events about it: ours, or that of the provider they came by.
    let relayAddress: String?
    /// When its turn is at a server that is nobody's; nil where it has none, or has had it.
    let turnAt: Timestamp?
    /// How the team spells a deleted account: Apple's documents know two ways.
    var accountDeleteEvent: String

    /// The body, Apple's `{"payload":"<JWS>"}`.
    ///
    /// - Throws: `NoSigningKey`, `SigningFailure`.
    func body(of team: TeamSnapshot, base: String, at moment: Timestamp) throws -> [UInt8] {
        var json = JSONWriter(capacity: 1536)
        json.member("payload", try team.sign(claims(of: team, base: base, at: moment), at: moment))
        return json.finish()
    }

    /// Apple's claims: `exp` a day after `iat`, and `events` a text with JSON in it, as its servers send it and its
    /// clients read it.
    private func claims(of team: TeamSnapshot, base: String, at moment: Timestamp) -> [UInt8] {
        let issued = moment - TokenLifetime.backdating
        var json = JSONWriter()
        json.member("iss", team.issuesNoticesAsApple(to: appID) ? appleIssuer : base)
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
    /// Whether the group's backend expects Apple's issuer: all its Service IDs do, and there is one.
    fileprivate func issuesNoticesAsApple(to group: ClientID) -> Bool {
        let services = services.values.filter { apps[$0.app]?.group == group }
        return !services.isEmpty && services.allSatisfy(\.issuesAsApple)
    }
}
