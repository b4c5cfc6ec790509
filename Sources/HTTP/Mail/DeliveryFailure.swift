/// Reason why a mail server has not accepted a message.
public enum DeliveryFailure: Error, Equatable, Sendable {
    case refused(MailRefusal)
    /// The server does not offer the encryption that a password requires.
    case notEncrypted
    /// The server offers no way to log in that is known here.
    case noLogin
    /// Too many messages wait for a thread.
    case busy
    /// The connection or the SMTP session failed.
    case failed(ClientFailure)
}
