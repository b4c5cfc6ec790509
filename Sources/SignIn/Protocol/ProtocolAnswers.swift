import AuthEngine
import Bytes
import HTTP
import Web

/// The protocol's answers in HTTP, with the header fields Apple's have (TN3107).
enum ProtocolAnswers {
    /// JSON that nobody may keep (RFC 6749 section 5.1).
    static func json(_ body: [UInt8], status: Status = .ok) -> Response {
        Response(
            status,
            fields: [
                HeaderField(.contentType, "application/json;charset=UTF-8"),
                HeaderField(.cacheControl, "no-store"),
                HeaderField(.pragma, "no-cache"),
                HeaderField(.xContentTypeOptions, "nosniff"),
            ],
            body: body
        )
    }

    /// A refusal: 400 for every code, `invalid_client` included, as Apple answers.
    static func refusal(_ error: OAuthError) -> Response {
        json(body(error.code.rawValue, error.description), status: .badRequest)
    }

    /// 401 for who shows no good access token (RFC 6750 section 3): the error is named only where there was one.
    static func bearerWanted(isInvalid: Bool) -> Response {
        var response = json(isInvalid ? body("invalid_token", nil) : [], status: .unauthorized)
        response.append(.wwwAuthenticate, isInvalid ? #"Bearer error="invalid_token""# : "Bearer")
        return response
    }

    /// What went wrong on our side, for a client that may try again.
    static func problem(_ problem: Problem) -> Response {
        let code = problem.status == .serviceUnavailable ? "temporarily_unavailable" : "server_error"
        let isOurs = problem.status == .serviceUnavailable || problem.status == .internalServerError
        var response = json(body(isOurs ? code : "invalid_request", nil), status: problem.status)
        if let seconds = problem.retryAfter { response.append(.retryAfter, String(seconds)) }
        return response
    }

    private static func body(_ code: String, _ description: String?) -> [UInt8] {
        var json = JSONWriter(capacity: 128)
        json.member("error", code)
        if let description { json.member("error_description", description) }
        return json.finish()
    }
}
