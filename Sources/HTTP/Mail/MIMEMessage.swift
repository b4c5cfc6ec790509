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

/// Encoded words: text in any language in a field of a message (RFC 2047).
private enum EncodedWord {
    /// Octets of text in one encoded word: 75 characters less `=?utf-8?B?` and `?=`, in whole groups of base64.
    private static let limit = 45
    /// Length of a line, within the recommended 78 characters (RFC 5322 section 2.1.1).
    private static let lineLimit = 76

    /// The text of a field such as a subject: unchanged when it is plain and short, otherwise encoded.
    static func text(_ text: String, after used: Int) -> String {
        isPlain(text) && used + text.utf8.count <= lineLimit ? text : encode(text)
    }

    /// A display name before an address: quoted when it is plain, otherwise encoded.
    static func phrase(_ text: String, after used: Int) -> String {
        let isQuotable = isPlain(text) && !text.utf8.contains { "\"\\".utf8.contains($0) }
        return isQuotable && used + text.utf8.count + 2 <= lineLimit ? "\"\(text)\"" : encode(text)
    }

    /// Whether the text is printable ASCII that no mail reader takes for an encoded word.
    private static func isPlain(_ text: String) -> Bool {
        text.utf8.allSatisfy { (0x20...0x7E).contains($0) } && !text.contains("=?") && !text.hasPrefix(" ")
            && !text.hasSuffix(" ")
    }

    /// Encodes text in several words when one is too long, each of whole characters (RFC 2047 section 5).
    private static func encode(_ text: String) -> String {
        var words: [[UInt8]] = [[]]
        for scalar in text.unicodeScalars {
            let octets = Array(String(scalar).utf8)
            if words[words.count - 1].count + octets.count > limit { words.append([]) }
            words[words.count - 1] += octets
        }
        return words.map { "=?utf-8?B?\(Base64.encode($0))?=" }.joined(separator: "\r\n ")
    }
}

/// The date format of mail messages, such as `Fri, 20 Nov 2026 11:29:00 +0000` (RFC 5322 section 3.3).
private enum MailDate {
    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    static func text(_ moment: Timestamp) -> String {
        // The form is `2026-11-20T11:29:00Z`, which `Timestamp` checks.
        let parts = moment.description.split { "-TZ".contains($0) }
        let day = (moment.seconds / 86_400 % 7 + 7) % 7
        guard parts.count == 4, let month = Int(parts[1]), months.indices.contains(month - 1) else {
            return moment.description
        }
        return "\(days[day]), \(parts[2]) \(months[month - 1]) \(parts[0]) \(parts[3]) +0000"
    }
}
