public import Core
import Platform
import Registry

// The attributes of events about authorization requests.
extension TraceEvent {
    /// The attributes of a valid request.
    public static func facts(of request: AuthorizationRequest) -> [TraceAttribute] {
        var facts = [
            TraceAttribute("client_id", request.clientID.rawValue),
            TraceAttribute("redirect_uri", url: request.redirectURI),
            TraceAttribute("response_type", request.responseType.rawValue),
            TraceAttribute("response_mode", request.responseMode.rawValue),
        ]
        if !request.scope.text.isEmpty { facts.append(TraceAttribute("scope", request.scope.text)) }
        for (name, value) in [
            ("state", request.state), ("nonce", request.nonce), ("code_challenge", request.codeChallenge),
        ] { if let value { facts.append(TraceAttribute(name, lengthOf: value)) } }
        if request.codeChallenge != nil { facts.append(TraceAttribute("code_challenge_method", "S256")) }
        return facts
    }

    /// The event of a rejected request: the values sent, those registered, and the most similar of these.
    static func refusal(
        _ refusal: AuthorizationRefusal, of fields: [FormCoding.Field], to team: TeamSnapshot, at moment: Timestamp,
        from origin: Origin
    ) -> TraceEvent {
        TraceEvent(
            .authorizationRefused, at: moment, from: origin, cause: refusal.cause, reason: refusal.reason,
            sent: facts(of: fields), known: known(about: refusal, fields, team))
    }

    /// Octets for the values sent; the rest is for registered values and the response.
    private static let octetsSent = 2048

    /// The values of protocol keywords among the parameters; only the lengths of other, repeated and excess ones.
    public static func facts(of fields: [FormCoding.Field]) -> [TraceAttribute] {
        var room = octetsSent
        var names: Set<String> = []
        return fields.prefix(24).map { field in
            let name = ProtocolParameters.spoken(field.name)
            let length = TraceAttribute(name, lengthOf: field.value)
            guard names.insert(name).inserted else { return length }
            let fact = fact(of: field, name)
            guard fact.value.utf8.count <= room else { return length }
            room -= fact.value.utf8.count
            return fact
        }
    }

    private static func fact(of field: FormCoding.Field, _ name: String) -> TraceAttribute {
        switch field.name.text {
        case "client_id":
            ClientID(rawValue: field.value) == nil
                ? TraceAttribute("client_id", lengthOf: field.value) : TraceAttribute("client_id", field.value)
        case "redirect_uri": TraceAttribute("redirect_uri", url: field.value)
        case "response_type", "response_mode", "scope", "grant_type", "code_challenge_method", "prompt", "locale",
            "ui_locales":
            TraceAttribute(field.name.text, field.value, limit: 100)
        default: TraceAttribute(name, lengthOf: field.value)
        }
    }

    private static func known(about refusal: AuthorizationRefusal, _ fields: [FormCoding.Field], _ team: TeamSnapshot)
        -> [TraceAttribute]
    {
        let text = fields.first { $0.name == "client_id" }?.value
        guard let client = text.flatMap(ClientID.init).flatMap(team.client) else {
            return team.nearestClient(to: text ?? "").map { [TraceAttribute("nearest", $0.rawValue)] } ?? []
        }
        guard refusal.cause == .returnURLUnregistered || refusal.cause == .returnURLMissing else { return [] }
        return registered(client, fields.first { $0.name == "redirect_uri" }?.value ?? "")
    }

    private static func registered(_ client: Client, _ sent: String) -> [TraceAttribute] {
        let urls = client.returnURLs.map { TraceAttribute("registered", $0, limit: 500) }
        guard let comparison = ReturnURLComparison(sent, with: client.returnURLs.map(ReturnURL.init(stored:))) else {
            return urls
        }
        let differences = comparison.differences.map { "\($0)" }.joined(separator: " ")
        return [
            TraceAttribute("nearest", comparison.nearest.text, limit: 500), TraceAttribute("differences", differences),
        ] + urls
    }
}
