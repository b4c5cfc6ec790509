import Core
import Crypto
import EventLoop
import HTTP
import OAuth
import Platform
import SignIn

// Endpoints that servers call at Apple.
extension Simulator {
    func token(_ request: Request) async throws -> Response { try await faulty(.token, request, at: tokens) }

    func revoke(_ request: Request) async throws -> Response { try await faulty(.revocation, request, at: revocation) }

    func keys() async throws -> Response {
        let fault = script.take(at: .keys)
        return try await keys(fault).naming(fault)
    }

    private func keys(_ fault: Fault?) async throws -> Response {
        if let response = await script.response(of: fault, at: .keys) { return response }
        let team = try await snapshot()
        guard script.publishesExtraKey, let set = try? JWKSet(json: team.keySet(at: server.clock())) else {
            return .processed(team.keySet(at: server.clock()), fault)
        }
        let extra = JWK(.rsa(script.extraKey.publicKey), keyID: Script.extraKeyID)
        return .processed(JWKSet(set.keys + [extra]).json, fault)
    }

    /// Apple's discovery document, with the host name of the request.
    func discovery(_ request: Request) async -> Response {
        let fault = script.take(at: .discovery)
        if let response = await script.response(of: fault, at: .discovery) { return response }
        let scheme = server.publicURL.hasPrefix("https:") ? "https" : "http"
        let base = "\(scheme)://\(request[.host] ?? "")/apple"
        var json = JSONWriter(capacity: 512)
        json.member("issuer", fault == .otherIssuer ? "https://account.apple.com" : server.base(of: team))
        json.member("authorization_endpoint", "\(base)/auth/authorize")
        json.member("token_endpoint", "\(base)/auth/token")
        json.member("revocation_endpoint", "\(base)/auth/revoke")
        json.member("jwks_uri", "\(base)/auth/keys")
        json.member("id_token_signing_alg_values_supported", ["RS256"])
        return .processed(json.finish())
    }

    /// Responds as the engine does, with a fault before, in, or after its response.
    private func faulty(_ place: Place, _ request: Request, at endpoint: some ClientEndpoint) async throws -> Response {
        let fault = script.take(at: place)
        return try await answer(request, at: place, fault, endpoint).naming(fault)
    }

    private func answer(_ request: Request, at place: Place, _ fault: Fault?, _ endpoint: some ClientEndpoint)
        async throws -> Response
    {
        if let response = await script.response(of: fault, at: place) { return response }
        var answer: [UInt8]
        do {
            let parameters = try ProtocolParameters(try request.form(maximumFields: 64).fields)
            let team = try await snapshot()
            answer = try await clients.respond(at: endpoint, to: parameters, of: team, from: request.auditOrigin)
            if let fault { answer = try forge(answer, fault, team) }
        } catch let error as OAuthError { return .refusal(error.code.rawValue, error.description) }
        return .processed(answer, fault)
    }

    /// The response with a forged `id_token`.
    private func forge(_ answer: [UInt8], _ fault: Fault, _ team: TeamSnapshot) throws -> [UInt8] {
        guard case .object(var members) = try JSON.decode(JSONValue.self, from: answer),
            let token = members["id_token"]?.string
        else { return answer }
        members["id_token"] = .string(try forgery(fault, team).forge(token))
        return JSON.encode(JSONValue.object(members))
    }

    func forgery(_ fault: Fault, _ team: TeamSnapshot) -> TokenForgery {
        TokenForgery(fault: fault, script: script, team: team, moment: server.clock())
    }
}

extension Script {
    /// The response of a fault that prevents processing, or nil for other faults; one that delays has waited then.
    fileprivate func response(of fault: Fault?, at place: Place) async -> Response? {
        switch fault {
        case .slow?:
            await delay(at: place, .seconds(2))
            return nil
        case .silent?:
            await delay(at: place, .seconds(20))
            return .text("", status: .serviceUnavailable)
        case .trouble?: return .text("<html>Service Unavailable</html>", status: .serviceUnavailable)
        case .throttled?:
            var response = Response.text("", status: .tooManyRequests)
            response.append(.retryAfter, "30")
            return response
        case .badRequest?: return .refusal("invalid_request", nil)
        case .unknownClient?: return .refusal("invalid_client", nil)
        default: return nil
        }
    }
}

extension Response {
    /// The response to a processed request: the engine's, or that of a fault that replaces it.
    fileprivate static func processed(_ body: [UInt8], _ fault: Fault? = nil) -> Response {
        switch fault {
        case .broken?: Response(.ok, stream: BodyStream { throw Broken() })
        case .malformed?: fresh(Array("{\"access_token\": \"a".utf8))
        default: fresh(body)
        }
    }

    fileprivate static func refusal(_ code: String, _ description: String?) -> Response {
        var body = JSONWriter(capacity: 128)
        body.member("error", code)
        if let description { body.member("error_description", description) }
        return fresh(body.finish(), status: .badRequest)
    }

    /// JSON that no cache stores, with Apple's content type.
    private static func fresh(_ body: [UInt8], status: Status = .ok) -> Response {
        Response(
            status,
            fields: [
                HeaderField(.contentType, "application/json;charset=UTF-8"), HeaderField(.cacheControl, "no-store"),
            ], body: body)
    }

    private struct Broken: Error {}

    /// Adds the fault in a header field, so that developers see the cause of the failure.
    fileprivate func naming(_ fault: Fault?) -> Response {
        guard let fault else { return self }
        var response = self
        response.append(HeaderName("Stand-In-Fault"), fault.rawValue)
        return response
    }
}
