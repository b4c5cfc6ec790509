/// A message for one mailbox, with its envelope and deadline.
public struct SMTPDelivery: Sendable {
    public let server: SMTPServer
    /// The sender in the envelope, who gets bounces; an address without angle brackets.
    public let sender: String
    public let recipient: String
    /// The message as sent over the wire, with lines ended by CRLF.
    public let message: [UInt8]
    /// The host name that the client sends with EHLO.
    public let localName: String
    public var deadline = Duration.seconds(60)

    public init(
        through server: SMTPServer, from sender: String, to recipient: String, _ message: [UInt8], as localName: String
    ) {
        self.server = server
        self.sender = sender
        self.recipient = recipient
        self.message = message
        self.localName = localName
    }

    /// Whether the envelope contains only characters that are allowed in an SMTP command.
    var isSendable: Bool {
        [sender, recipient, localName].allSatisfy { part in
            !part.isEmpty && part.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"<>".utf8.contains($0) }
        }
    }
}

/// Reason why a mail server has not accepted a message.
public enum DeliveryFailure: Error, Equatable, Sendable {
    case refused(MailRefusal)
    /// The connection or the SMTP session failed.
    case failed(ClientFailure)
}

extension HTTPClient {
    /// Sends a message to a mail server and waits until the server has accepted it (RFC 5321 section 4.2.5).
    ///
    /// The operator chooses the server, so it may have any address. Call it on the client's loop.
    public func deliver(_ delivery: SMTPDelivery) async throws(DeliveryFailure) {
        let answer: ClientResponse
        do throws(ClientFailure) {
            answer = try await perform { [options] id, done in Transfer(id, delivery, options, done) }
        } catch { throw .failed(error) }
        let line = String(decoding: answer.body, as: UTF8.self)
        if let refusal = MailRefusal(code: answer.status, line: line) { throw .refused(refusal) }
    }
}
