internal import CCurl
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
enum EncodedWord {
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

/// A mail server: `smtp://[user:password@]host[:port]`, or `smtps://` for TLS from the first octet.
///
/// With `smtp://` the connection is encrypted with STARTTLS when the server offers it; with a password encryption is
/// required, unless the server is on this machine (RFC 8314 section 4.1).
public struct SMTPServer: Sendable {
    /// The URL without user and password, which logs and pages may show.
    public let address: String
    let user: String?
    let password: String?
    let mustEncrypt: Bool

    /// Parses the URL; nil when it does not have this form.
    public init?(_ url: String) {
        guard let url = ServerURL(url, schemes: ["smtp://", "smtps://"]) else { return nil }
        (address, user, password) = (url.address, url.user, url.password)
        mustEncrypt = url.user != nil && RequestHost(of: url.address)?.isLoopback != true
    }
}

extension Transfer {
    /// Prepares a mail delivery; nil when it cannot be sent as it is.
    convenience init?(_ id: UInt64, _ delivery: SMTPDelivery, _ options: HTTPClient.Options, _ done: @escaping Done) {
        guard delivery.isSendable else { return nil }
        self.init(id, policy: .any, bodyLimit: 0, done)
        isMail = true
        setDeadline(delivery.deadline)
        set(CURLOPT_PROTOCOLS_STR, "smtp,smtps")
        set(CURLOPT_PROXY, "")
        if let file = options.trustedCertificates { set(CURLOPT_CAINFO, file) }
        let server = delivery.server
        set(CURLOPT_URL, "\(server.address)/\(delivery.localName)")
        set(CURLOPT_USE_SSL, Int((server.mustEncrypt ? CURLUSESSL_ALL : CURLUSESSL_TRY).rawValue))
        if let user = server.user { set(CURLOPT_USERNAME, user) }
        if let password = server.password { set(CURLOPT_PASSWORD, password) }
        set(CURLOPT_MAIL_FROM, "<\(delivery.sender)>")
        append("<\(delivery.recipient)>")
        useFields(as: CURLOPT_MAIL_RCPT)
        upload(delivery.message)
    }
}

/// A mail server's rejection of a message: its codes only, because its text may contain personal data.
public struct MailRefusal: Hashable, Sendable, CustomStringConvertible {
    /// The reply code, 400 to 599 (RFC 5321 section 4.2.1).
    public let code: Int
    /// The enhanced status code, such as `5.1.1`, where the server gave one (RFC 3463).
    public let detail: String?

    /// Whether the same message will be rejected again.
    ///
    /// Codes 530 to 539 concern Pippin's credentials, not the message (RFC 4954 section 6).
    public var isFinal: Bool { code >= 500 && !(530...539).contains(code) }

    public var description: String { detail.map { "\(code) \($0)" } ?? String(code) }

    /// Parses the last line of a reply; nil when the code is not 400 to 599.
    init?(code: Int, line: String) {
        guard (400...599).contains(code) else { return nil }
        self.code = code
        let word = line.split(separator: " ").dropFirst().first.map(String.init) ?? ""
        let parts = word.split(separator: ".", omittingEmptySubsequences: false)
        let isDetail = parts.count == 3 && parts.allSatisfy { (1...3).contains($0.utf8.count) && Int($0) != nil }
        detail = isDetail ? word : nil
    }
}

extension Transfer {
    /// The server's last reply, when the transfer is a mail delivery that ended because of it.
    func mailRefusal(_ code: CURLcode) -> ClientResponse? {
        let refusals = [
            CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_WEIRD_SERVER_REPLY, CURLE_LOGIN_DENIED, CURLE_USE_SSL_FAILED,
        ]
        let status = unsafe pippin_curl_status(easy)
        guard isMail, refusals.contains(code), status >= 400 else { return nil }
        return ClientResponse(status: status, fields: [], body: Array(lastRefusal.utf8))
    }
}

/// The date format of mail messages, such as `Fri, 20 Nov 2026 11:29:00 +0000` (RFC 5322 section 3.3).
enum MailDate {
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

/// Quoted-printable encoding: text in any language as ASCII lines of at most 76 characters (RFC 2045 section 6.7).
enum QuotedPrintable {
    private static let lineLimit = 76
    private static let digits = Array("0123456789ABCDEF".utf8)

    /// Encodes text; line ends of every kind become CRLF.
    static func encode(_ text: String) -> String {
        var out: [UInt8] = []
        let normal = text.replacing("\r\n", with: "\n")
        let lines = normal.utf8.split(omittingEmptySubsequences: false) { $0 == 0x0A || $0 == 0x0D }
        for (index, line) in lines.enumerated() {
            if index > 0 { out += Array("\r\n".utf8) }
            append(Array(line), to: &out)
        }
        return String(decoding: out, as: UTF8.self)
    }

    private static func append(_ line: [UInt8], to out: inout [UInt8]) {
        var length = 0
        for (index, byte) in line.enumerated() {
            let isLast = index == line.count - 1
            let piece = encoded(byte, isLast: isLast)
            // Room for the soft line break, which the end of a line does not need.
            if length + piece.count > lineLimit - (isLast ? 0 : 1) {
                out += Array("=\r\n".utf8)
                length = 0
            }
            out += piece
            length += piece.count
        }
    }

    /// Encodes an octet; whitespace at the end of a line is escaped, because it may be lost in transport.
    private static func encoded(_ byte: UInt8, isLast: Bool) -> [UInt8] {
        let isPlain = (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "=")
        if isPlain || (byte == 0x20 || byte == 0x09) && !isLast { return [byte] }
        return [UInt8(ascii: "="), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
}
