import Core
import HTTP
import OAuth

/// HTTP responses of the protocol, with the header fields that Apple's responses have (TN3107).
enum ProtocolAnswers {
    /// JSON that must not be stored in caches (RFC 6749 section 5.1).
    static func json(_ body: [UInt8], status: Status = .ok) -> Response {
        Response(
            status,
            fields: [
                HeaderField(.contentType, "application/json;charset=UTF-8"), HeaderField(.cacheControl, "no-store"),
                HeaderField(.pragma, "no-cache"), HeaderField(.xContentTypeOptions, "nosniff"),
            ], body: body)
    }

    /// Error response: 400 for every code, `invalid_client` included, as Apple responds.
    static func refusal(_ error: OAuthError) -> Response {
        json(body(error.code.rawValue, error.description), status: .badRequest)
    }

    /// 401 without a valid access token (RFC 6750 section 3); the error is named only if there was a token.
    static func bearerWanted(isInvalid: Bool) -> Response {
        var response = json(isInvalid ? body("invalid_token", nil) : [], status: .unauthorized)
        response.append(.wwwAuthenticate, isInvalid ? #"Bearer error="invalid_token""# : "Bearer")
        return response
    }

    /// Error response: a fault of the server, which the client may retry, or `invalid_request`.
    static func problem(_ problem: UserFacingError) -> Response {
        let code = problem.status == .serviceUnavailable ? "temporarily_unavailable" : "server_error"
        let isOurs = problem.status == .serviceUnavailable || problem.status == .internalServerError
        var response = json(body(isOurs ? code : "invalid_request", nil), status: problem.status)
        response.retry(after: problem.retryAfter)
        return response
    }

    /// Answer to a browser that asks whether a page of any origin may send an access token (Fetch section 3.2).
    static let preflight = Response(
        .noContent,
        fields: [
            HeaderField(HeaderName("Access-Control-Allow-Methods"), "GET, POST"),
            HeaderField(HeaderName("Access-Control-Allow-Headers"), "Authorization"),
            HeaderField(HeaderName("Access-Control-Max-Age"), "7200"),
        ]
    ).readableAnywhere

    private static func body(_ code: String, _ description: String?) -> [UInt8] {
        var json = JSONWriter(capacity: 128)
        json.member("error", code)
        if let description { json.member("error_description", description) }
        return json.finish()
    }
}

extension Response {
    /// This response, readable by pages of every origin, which never get one to a request with cookies.
    var readableAnywhere: Response {
        var response = self
        response.append(HeaderName("Access-Control-Allow-Origin"), "*")
        return response
    }
}
