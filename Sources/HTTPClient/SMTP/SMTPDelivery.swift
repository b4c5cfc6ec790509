/// A message for one mailbox, and how long its delivery may take.
public struct SMTPDelivery: Sendable {
    public let server: SMTPServer
    /// Whom bounces go to: the envelope's sender, an address without its brackets.
    public let sender: String
    public let recipient: String
    /// The message as it goes over the wire, lines ended by CRLF.
    public let message: [UInt8]
    /// What this host calls itself (EHLO).
    public let localName: String
    public var deadline = Duration.seconds(60)

    public init(
        through server: SMTPServer,
        from sender: String,
        to recipient: String,
        _ message: [UInt8],
        as localName: String
    ) {
        self.server = server
        self.sender = sender
        self.recipient = recipient
        self.message = message
        self.localName = localName
    }

    /// Whether the parts of the envelope can stand in a command without ending it.
    var isSendable: Bool {
        [sender, recipient, localName].allSatisfy { part in
            !part.isEmpty && part.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"<>".utf8.contains($0) }
        }
    }
}

/// Why a mail server does not have a message.
public enum DeliveryFailure: Error, Equatable, Sendable {
    case refused(MailRefusal)
    /// There was no talking to it.
    case failed(ClientFailure)
}

extension HTTPClient {
    /// Hands a message to a mail server and waits until that has taken it (RFC 5321 section 4.2.5).
    ///
    /// The server is the operator's choice, so it may have any address. To be called on the client's loop.
    public func deliver(_ delivery: SMTPDelivery) async throws(DeliveryFailure) {
        let answer: ClientResponse
        do throws(ClientFailure) {
            answer = try await perform { [options] id, done in Transfer(id, delivery, options, done) }
        } catch {
            throw .failed(error)
        }
        let line = String(decoding: answer.body, as: UTF8.self)
        if let refusal = MailRefusal(code: answer.status, line: line) { throw .refused(refusal) }
    }
}
