public import Bytes

/// A message as RFC 5322 and RFC 2045 write it: one text in two forms, of which the reader shows the better.
///
/// Whatever its parts hold, they cannot begin a field of their own: addresses are checked by the caller's type, all
/// other words are encoded wherever they are not plain.
public struct MIMEMessage: Sendable {
    /// Who writes, as readers see it.
    public let senderName: String
    public let sender: String
    public let recipient: String
    public let subject: String
    public let text: String
    public let html: String
    /// The left part of the Message-ID; the same for every attempt to deliver, so that readers drop doubles.
    public let id: String
    public let date: Timestamp

    public init(
        id: String,
        from sender: String,
        named senderName: String,
        to recipient: String,
        subject: String,
        text: String,
        html: String,
        at date: Timestamp
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

    /// The message as it goes over the wire.
    ///
    /// - Parameter fields: further fields, whose names and values the caller has written down itself.
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

    private var host: String {
        sender.split(separator: "@").last.map(String.init) ?? sender
    }

    /// The last guard, should an address ever come that nobody has checked.
    private static func plain(_ text: String) -> String {
        String(
            decoding: text.utf8.filter { $0 > 0x20 && $0 < 0x7F && !"<>\"".utf8.contains($0) },
            as: UTF8.self
        )
    }
}
