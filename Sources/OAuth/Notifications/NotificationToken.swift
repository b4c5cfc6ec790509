import Core
import Crypto
import Platform

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

    /// Request body in Apple's form, `{"payload":"<JWS>"}`.
    ///
    /// - Throws: what the signer throws.
    func body(signedBy signer: any NotificationSigner, at moment: Timestamp) throws -> [UInt8] {
        var json = JSONWriter(capacity: 1536)
        json.member("payload", try signer.sign(claims(of: signer, at: moment), at: moment))
        return json.finish()
    }

    /// Apple's claims: `exp` is a day after `iat`, and `events` a string with JSON in it, as Apple sends and clients
    /// read it.
    private func claims(of signer: any NotificationSigner, at moment: Timestamp) -> [UInt8] {
        let (issued, expires) = signer.validity(at: moment)
        var json = JSONWriter()
        json.member("iss", signer.issuer(for: appID))
        json.member("aud", appID.rawValue)
        json.member("iat", issued.seconds)
        json.member("exp", expires.seconds)
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
