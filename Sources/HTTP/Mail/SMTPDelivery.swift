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
    /// Leaves the server ten minutes to accept the message once it has all of it (RFC 5321 section 4.5.3.2.6): given up
    /// earlier, the message would be sent again though the server has it.
    public var deadline = Duration.seconds(700)
    /// Whether a refusal has the server's text, which may contain the recipient's address.
    public var wantsText = false

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
