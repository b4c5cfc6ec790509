import Core
public import Platform

/// The authorization response: only requested values, and `state` when the client sent one (RFC 6749 section 4.1.2).
public struct AuthorizationResponse: Sendable {
    public let clientID: ClientID
    public let redirectURI: String
    public let mode: AuthorizationRequest.ResponseMode
    /// Names and values in the order of the response.
    public private(set) var parameters: [(name: String, value: String)]

    init(_ request: AuthorizationRequest, _ parameters: [(String, String)]) {
        clientID = request.clientID
        redirectURI = request.redirectURI
        mode = request.responseMode
        self.parameters = parameters.map { (name: $0.0, value: $0.1) } + (request.state.map { [("state", $0)] } ?? [])
    }

    /// Replaces the value of a parameter; does nothing when the parameter is absent.
    public mutating func replace(_ name: String, with change: (String) throws -> String) rethrows {
        guard let index = parameters.firstIndex(where: { $0.name == name }) else { return }
        parameters[index].value = try change(parameters[index].value)
    }

    /// The return URL with the parameters in its query or fragment; the return URL alone for form_post and web_message.
    public var location: String {
        let coded = FormCoding.encode(parameters)
        switch mode {
        case .formPost, .webMessage: return redirectURI
        case .fragment: return "\(redirectURI)#\(coded)"
        case .query: return "\(redirectURI)\(redirectURI.contains("?") ? "&" : "?")\(coded)"
        }
    }
}

// The response as a message to the opening window, as Apple's JS library 1.5.6 reads it: JSON text and target origin.
extension AuthorizationResponse {
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
