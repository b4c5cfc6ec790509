public import Core

/// A mail message (RFC 5322, RFC 2045): one text in two forms, of which the mail reader shows the better.
///
/// No part can begin a header field of its own: the caller's type checks addresses, and all other text is encoded when
/// it is not plain.
public struct MIMEMessage: Sendable {
    /// The sender's display name.
    public let senderName: String
    public let sender: String
    public let recipient: String
    public let subject: String
    public let text: String
    public let html: String
    /// The left part of the Message-ID; the same each time the message is sent, so that mail readers drop duplicates.
    public let id: String
    public let date: Timestamp

    public init(
        id: String, from sender: String, named senderName: String, to recipient: String, subject: String, text: String,
        html: String, at date: Timestamp
    ) {
        self.id = id
        self.sender = sender
        self.senderName = senderName
        self.recipient = recipient
        self.subject = subject
        self.text = text
        self.html = html
        self.date = date
    }

    /// The message as sent over the wire.
    ///
    /// - Parameter fields: further header fields, whose names and values are literals in the caller's source.
    public func bytes(fields: [(name: StaticString, value: StaticString)] = []) -> [UInt8] {
        let boundary = "=_\(Self.plain(id))"
        var out = ""
        func line(_ text: String) { out += text + "\r\n" }
        line("Date: \(MailDate.text(date))")
        line("From: \(EncodedWord.phrase(senderName, after: 6))\r\n <\(Self.plain(sender))>")
        line("To: <\(Self.plain(recipient))>")
        line("Subject: \(EncodedWord.text(subject, after: 9))")
        line("Message-ID: <\(Self.plain(id))@\(Self.plain(host))>")
        for field in fields { line("\(field.name): \(field.value)") }
        line("MIME-Version: 1.0")
        line("Content-Type: multipart/alternative; boundary=\"\(boundary)\"")
        line("")
        for (type, body) in [("text/plain", text), ("text/html", html)] {
            line("--\(boundary)")
            line("Content-Type: \(type); charset=utf-8")
            line("Content-Transfer-Encoding: quoted-printable")
            line("")
            line(QuotedPrintable.encode(body))
        }
        line("--\(boundary)--")
        return Array(out.utf8)
    }

    private var host: String { sender.split(separator: "@").last.map(String.init) ?? sender }

    /// Removes characters that an address must not contain, in case an unchecked address is passed.
    private static func plain(_ text: String) -> String {
        String(decoding: text.utf8.filter { $0 > 0x20 && $0 < 0x7F && !"<>\"".utf8.contains($0) }, as: UTF8.self)
    }
}
