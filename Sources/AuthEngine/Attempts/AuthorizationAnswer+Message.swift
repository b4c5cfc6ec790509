import Bytes

// The answer to a window, as Apple's JS library reads it (version 1.5.6): a JSON text, and where it may be read.
extension AuthorizationAnswer {
    /// `{"method":"oauthDone","data":{…}}`.
    public var message: String {
        var message = JSONWriter(capacity: 1024)
        message.member("method", "oauthDone")
        message.member("data", raw: data)
        return String(decoding: message.finish(), as: UTF8.self)
    }

    /// Scheme, host and port of the return URL (RFC 6454 section 4): nobody else may read the message.
    public var origin: String {
        guard let colon = redirectURI.firstRange(of: "://") else { return redirectURI }
        let end = redirectURI[colon.upperBound...].firstIndex { "/?#".contains($0) }
        return String(redirectURI[..<(end ?? redirectURI.endIndex)])
    }

    /// An error stands beside `state`; else `user` stands beside `authorization`, which holds everything else.
    private var data: [UInt8] {
        var data = JSONWriter(capacity: 1024)
        if let error = value(of: "error") {
            data.member("error", error)
            if let state = value(of: "state") { data.member("state", state) }
            return data.finish()
        }
        var authorization = JSONWriter(capacity: 512)
        if let code = value(of: "code") { authorization.member("code", code) }
        if let token = value(of: "id_token") { authorization.member("id_token", token) }
        if let state = value(of: "state") { authorization.member("state", state) }
        data.member("authorization", raw: authorization.finish())
        // JSON already: the object itself stands here, not its text.
        if let user = value(of: "user") { data.member("user", raw: Array(user.utf8)) }
        return data.finish()
    }

    private func value(of name: String) -> String? {
        parameters.first { $0.name == name }?.value
    }
}
