import Bytes
import Domain
import Registry

// What an authorization request was, as its step tells it.
extension FlowStep {
    /// A request that passed the checks.
    static func facts(of request: AuthorizationRequest) -> [FlowFact] {
        facts(
            client: request.client.id,
            redirectURI: request.redirectURI,
            type: request.responseType,
            mode: request.responseMode,
            scope: request.scope,
            opaque: [
                ("state", request.state), ("nonce", request.nonce), ("code_challenge", request.codeChallenge),
            ]
        )
    }

    /// The same, told from what is stored of it.
    static func facts(of request: AppRequest) -> [FlowFact] {
        facts(
            client: request.clientID,
            redirectURI: request.redirectURI,
            type: request.responseType,
            mode: request.responseMode,
            scope: request.scope,
            opaque: [
                ("state", request.state), ("nonce", request.nonce), ("code_challenge", request.codeChallenge),
            ]
        )
    }

    private static func facts(
        client: ClientID,
        redirectURI: String,
        type: AuthorizationRequest.ResponseType,
        mode: AuthorizationRequest.ResponseMode,
        scope: AuthorizationRequest.Scope,
        opaque: [(name: String, value: String?)]
    ) -> [FlowFact] {
        let scopes = [scope.name ? "name" : nil, scope.email ? "email" : nil].compactMap { $0 }
        let words = [
            FlowFact("client_id", client.rawValue), FlowFact("redirect_uri", url: redirectURI),
            FlowFact("response_type", type.rawValue), FlowFact("response_mode", mode.rawValue),
        ]
        return words + (scopes.isEmpty ? [] : [FlowFact("scope", scopes.joined(separator: " "))])
            + opaque.compactMap { name, value in value.map { FlowFact(name, lengthOf: $0) } }
            + (opaque.contains { $0.name == "code_challenge" && $0.value != nil }
                ? [FlowFact("code_challenge_method", "S256")] : [])
    }

    /// A request that was refused: what was sent, what is registered, and the nearest of it.
    static func refusal(
        _ refusal: AuthorizationRefusal,
        of fields: [FormCoding.Field],
        to team: TeamSnapshot,
        at moment: Timestamp,
        from origin: Origin
    ) -> FlowStep {
        FlowStep(
            .authorizationRefused,
            at: moment,
            from: origin,
            cause: refusal.cause,
            reason: refusal.reason,
            sent: facts(of: fields),
            known: known(about: refusal, fields, team)
        )
    }

    /// Octets of what was sent that a step tells; the rest is for what is registered and was answered.
    private static let octetsSent = 2048

    /// Of all that was sent, the words of the protocol; of the rest, and of what is sent again or is too much, that it
    /// was sent.
    static func facts(of fields: [FormCoding.Field]) -> [FlowFact] {
        var room = octetsSent
        var names: Set<String> = []
        return fields.prefix(24).map { field in
            let name = ProtocolParameters.spoken(field.name)
            let length = FlowFact(name, lengthOf: field.value)
            guard names.insert(name).inserted else { return length }
            let fact = fact(of: field, name)
            guard fact.value.utf8.count <= room else { return length }
            room -= fact.value.utf8.count
            return fact
        }
    }

    private static func fact(of field: FormCoding.Field, _ name: String) -> FlowFact {
        switch field.name.text {
        case "client_id":
            ClientID(rawValue: field.value) == nil
                ? FlowFact("client_id", lengthOf: field.value) : FlowFact("client_id", field.value)
        case "redirect_uri": FlowFact("redirect_uri", url: field.value)
        case "response_type", "response_mode", "scope", "grant_type", "code_challenge_method", "prompt",
            "locale", "ui_locales":
            FlowFact(field.name.text, field.value, limit: 100)
        default: FlowFact(name, lengthOf: field.value)
        }
    }

    private static func known(
        about refusal: AuthorizationRefusal,
        _ fields: [FormCoding.Field],
        _ team: TeamSnapshot
    ) -> [FlowFact] {
        let text = fields.first { $0.name == "client_id" }?.value
        guard let client = text.flatMap(ClientID.init).flatMap(team.client) else {
            return team.nearestClient(to: text ?? "").map { [FlowFact("nearest", $0.rawValue)] } ?? []
        }
        guard refusal.cause == .returnURLUnregistered || refusal.cause == .returnURLMissing else { return [] }
        return registered(client, fields.first { $0.name == "redirect_uri" }?.value ?? "")
    }

    private static func registered(_ client: Client, _ sent: String) -> [FlowFact] {
        let urls = client.returnURLs.map { FlowFact("registered", $0, limit: 500) }
        guard let comparison = ReturnURLComparison(sent, with: client.returnURLs.map(ReturnURL.init(stored:)))
        else { return urls }
        let differences = comparison.differences.map { "\($0)" }.joined(separator: " ")
        return [
            FlowFact("nearest", comparison.nearest.text, limit: 500), FlowFact("differences", differences),
        ] + urls
    }
}
