import Core

// The response as a message to the opening window, as Apple's JS library 1.5.6 reads it: JSON text and target origin.
extension AuthorizationAnswer {
    /// The message: `{"method":"oauthDone","data":{…}}`.
    public var message: String {
        var message = JSONWriter(capacity: 1024)
        message.member("method", "oauthDone")
        message.member("data", raw: data)
        return String(decoding: message.finish(), as: UTF8.self)
    }

    /// The only origin that may read the message: scheme, host and port of the return URL (RFC 6454 section 4).
    public var origin: String {
        guard let colon = redirectURI.firstRange(of: "://") else { return redirectURI }
        let end = redirectURI[colon.upperBound...].firstIndex { "/?#".contains($0) }
        return String(redirectURI[..<(end ?? redirectURI.endIndex)])
    }

    /// An error with `state`, or `authorization` with all response parameters except `user`, which is beside it.
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
        // `user` is JSON already and is inserted as an object, not as a string.
        if let user = value(of: "user") { data.member("user", raw: Array(user.utf8)) }
        return data.finish()
    }

    private func value(of name: String) -> String? { parameters.first { $0.name == name }?.value }
}
