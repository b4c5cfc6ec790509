internal import CCurl

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
