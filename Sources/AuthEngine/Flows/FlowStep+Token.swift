import Bytes
import Crypto
import Domain

// What an app is answered with.
extension FlowStep {
    /// The answer to the authorization request.
    static func answer(
        _ request: AppRequest,
        _ issue: CodeStore.Issue,
        at moment: Timestamp,
        from origin: Origin
    ) -> FlowStep {
        var answered = [FlowFact("code", "(given)")]
        if request.responseType == .codeAndIDToken { answered.append(FlowFact("id_token", "(given)")) }
        if issue.deliversUser { answered.append(FlowFact("user", "(given)")) }
        if request.state != nil { answered.append(FlowFact("state", "(as sent)")) }
        return FlowStep(.answered, at: moment, from: origin, answered: answered)
    }

    /// A code that became tokens, with the claims of the id_token that say nothing of the person.
    static func redemption(
        _ claim: CodeStore.Claim,
        _ grant: CodeGrant,
        _ request: TokenEndpoint.Request
    ) -> FlowStep {
        let client = request.client
        var sent = [FlowFact("client_id", client.client.id.rawValue)]
        sent.append(FlowFact("client_secret.kid", client.keyID.rawValue))
        if let url = claim.redirectURI { sent.append(FlowFact("redirect_uri", url: url)) }
        if claim.codeChallenge != nil { sent.append(FlowFact("code_verifier", "(given)")) }
        var answered = [
            FlowFact("id_token.iss", request.issuer.issuer(of: client.client)),
            FlowFact("id_token.aud", client.client.id.rawValue),
        ]
        if grant.nonce != nil { answered.append(FlowFact("id_token.nonce", "(as sent)")) }
        if let email = grant.email {
            answered.append(FlowFact("id_token.email", email.isPrivate ? "(relay address)" : "(given)"))
        }
        return FlowStep(
            .codeRedeemed,
            at: request.moment,
            from: request.origin,
            sent: sent,
            answered: answered + [
                FlowFact("access_token", "(given)"), FlowFact("refresh_token", "(given)"),
            ]
        )
    }
}

// What was asked of the token and revocation endpoints, as the step of a refusal tells it.
extension FlowStep {
    /// A refused request: of a client secret what it claims, never the secret.
    static func refusal(
        _ error: OAuthError,
        _ kind: Kind,
        of fields: [FormCoding.Field],
        to team: TeamSnapshot,
        base: String,
        at moment: Timestamp,
        from origin: Origin
    ) -> FlowStep {
        let isAuthentication = error.code == .invalidClient
        return FlowStep(
            kind,
            at: moment,
            from: origin,
            cause: error.cause,
            reason: error.reason,
            sent: facts(of: fields) + (isAuthentication ? clientSecret(in: fields) : []),
            known: isAuthentication ? expected(of: fields, team, base, moment) : [],
            answered: [FlowFact("error", error.code.rawValue)]
                + (error.description.map { [FlowFact("error_description", $0)] } ?? [])
        )
    }

    /// What the client secret says of itself.
    static func clientSecret(in fields: [FormCoding.Field]) -> [FlowFact] {
        guard let text = fields.first(where: { $0.name == "client_secret" })?.value,
            let token = try? UnverifiedJWT(text)
        else { return [] }
        let header = ["alg", "kid", "typ"].compactMap { fact($0, token.header.members[$0]) }
        return header
            + ["iss", "sub", "aud", "iat", "exp"].compactMap { fact($0, token.unverifiedClaims.members[$0]) }
    }

    private static func fact(_ name: String, _ value: JSONValue?) -> FlowFact? {
        guard let value else { return nil }
        guard ["iat", "exp"].contains(name), let date = value.integer.flatMap(NumericDate.init(seconds:))
        else {
            let text = value.string ?? String(decoding: JSON.encode(value), as: UTF8.self)
            return FlowFact("client_secret.\(name)", text, limit: 120)
        }
        return FlowFact("client_secret.\(name)", "\(date.seconds) (\(date.timestamp))")
    }

    /// What a good secret of that client would say.
    private static func expected(
        of fields: [FormCoding.Field],
        _ team: TeamSnapshot,
        _ base: String,
        _ moment: Timestamp
    ) -> [FlowFact] {
        let text = fields.first { $0.name == "client_id" }?.value
        guard let client = text.flatMap(ClientID.init).flatMap(team.client) else {
            return team.nearestClient(to: text ?? "").map { [FlowFact("nearest", $0.rawValue)] } ?? []
        }
        let keys = team.keys.filter { $0.value.group == client.group }.keys.map(\.rawValue).sorted()
        return keys.prefix(4).map { FlowFact("client_secret.kid", $0) } + [
            FlowFact("client_secret.iss", team.id.rawValue),
            FlowFact("client_secret.sub", client.id.rawValue),
            FlowFact("client_secret.aud", base),
            FlowFact("now", "\(moment.seconds) (\(moment))"),
        ]
    }
}
