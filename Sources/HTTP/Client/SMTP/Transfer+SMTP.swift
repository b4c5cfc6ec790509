internal import CCurl

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
