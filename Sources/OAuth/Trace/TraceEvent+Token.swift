public import Core
import Crypto
import Platform

// The events of responses to an app.
extension TraceEvent {
    /// The event of the authorization response.
    static func answer(
        _ request: AuthorizationRequest, _ issue: CodeStore.Issue, at moment: Timestamp, from origin: Origin
    ) -> TraceEvent {
        var answered = [TraceAttribute("code", "(given)")]
        if request.responseType == .codeAndIDToken { answered.append(TraceAttribute("id_token", "(given)")) }
        if issue.deliversUser { answered.append(TraceAttribute("user", "(given)")) }
        if request.state != nil { answered.append(TraceAttribute("state", "(as sent)")) }
        return TraceEvent(.answered, at: moment, from: origin, answered: answered)
    }

    /// The event of a code's redemption, with the claims of the `id_token` that contain no user data.
    static func redemption(
        _ claim: CodeStore.Claim, _ grant: CodeGrant, _ request: AuthenticatedRequest, issuer: TokenIssuer
    ) -> TraceEvent {
        let client = request.client
        var sent = [TraceAttribute("client_id", client.id.rawValue)]
        if let key = client.keyID { sent.append(TraceAttribute("client_secret.kid", key.rawValue)) }
        if let url = claim.redirectURI { sent.append(TraceAttribute("redirect_uri", url: url)) }
        if claim.codeChallenge != nil { sent.append(TraceAttribute("code_verifier", "(given)")) }
        var answered = [
            TraceAttribute("id_token.iss", issuer.issuer(of: client.client)),
            TraceAttribute("id_token.aud", client.id.rawValue),
        ]
        if grant.nonce != nil { answered.append(TraceAttribute("id_token.nonce", "(as sent)")) }
        if let email = grant.email {
            answered.append(TraceAttribute("id_token.email", email.isPrivate ? "(relay address)" : "(given)"))
        }
        return TraceEvent(
            .codeRedeemed, at: request.moment, from: request.origin, sent: sent,
            answered: answered + [
                TraceAttribute("access_token", "(given)"), TraceAttribute("refresh_token", "(given)"),
            ])
    }
}

// The events of requests rejected by the token and revocation endpoints.
extension TraceEvent {
    /// The event of a rejected request, with the claims of a client secret but never the secret.
    static func refusal(
        _ error: OAuthError, _ kind: Kind, of fields: [FormCoding.Field], to team: TeamSnapshot, base: String,
        at moment: Timestamp, from origin: Origin
    ) -> TraceEvent {
        let isAuthentication = error.code == .invalidClient
        return TraceEvent(
            kind, at: moment, from: origin, cause: error.cause, reason: error.reason,
            sent: facts(of: fields) + (isAuthentication ? clientSecret(in: fields) : []),
            known: isAuthentication ? expected(of: fields, team, base, moment) : codeIssuer(error.cause, fields, team),
            answered: [TraceAttribute("error", error.code.rawValue)]
                + (error.description.map { [TraceAttribute("error_description", $0)] } ?? []))
    }

    /// Who issued the code of a refused redemption, as far as its form and the cause of the refusal tell.
    private static func codeIssuer(_ cause: RefusalCause, _ fields: [FormCoding.Field], _ team: TeamSnapshot)
        -> [TraceAttribute]
    {
        func sent(_ name: FieldName) -> String { fields.first { $0.name == name }?.value ?? "" }
        let isApples: Bool
        switch cause {
        case .codeExpired, .codeOfOtherClient, .codeOfOtherReturnURL, .codeVerifierWrong: isApples = false
        // No code is issued to a bundle ID here.
        case .codeUsed: isApples = !(ClientID(rawValue: sent("client_id")).map(team.isServiceID) ?? true)
        case .codeMalformed where AuthorizationCode.hasForm(sent("code")), .providerCode, .providerRequest:
            isApples = true
        default: return []
        }
        return [TraceAttribute("issuer", isApples ? "Apple" : "Pippin")]
    }

    /// Header members and claims of the client secret, unverified.
    public static func clientSecret(in fields: [FormCoding.Field]) -> [TraceAttribute] {
        guard let text = fields.first(where: { $0.name == "client_secret" })?.value,
            let token = try? UnverifiedJWT(text)
        else { return [] }
        let header = ["alg", "kid", "typ"].compactMap { fact($0, token.header.members[$0]) }
        return header
            + ["iss", "sub", "aud", "iat", "exp", "nbf"].compactMap { fact($0, token.unverifiedClaims.members[$0]) }
    }

    private static func fact(_ name: String, _ value: JSONValue?) -> TraceAttribute? {
        guard let value else { return nil }
        let isTime = ["iat", "exp", "nbf"].contains(name)
        // A time in quotes is shown with them, because they are what is wrong with it.
        var text = (isTime ? nil : value.string) ?? String(decoding: JSON.encode(value), as: UTF8.self)
        if isTime, let date = value.floor.flatMap(NumericDate.init(seconds:)) { text += " (\(date.timestamp))" }
        return TraceAttribute("client_secret.\(name)", text, limit: 120)
    }

    /// The values that a valid secret of the client would have.
    private static func expected(
        of fields: [FormCoding.Field], _ team: TeamSnapshot, _ base: String, _ moment: Timestamp
    ) -> [TraceAttribute] {
        let text = fields.first { $0.name == "client_id" }?.value
        guard let client = text.flatMap(ClientID.init).flatMap(team.client) else {
            return team.nearestClient(to: text ?? "").map { [TraceAttribute("nearest", $0.rawValue)] } ?? []
        }
        let keys = team.keys.filter { $0.value.primaryAppID == client.primaryAppID }.keys.map(\.rawValue).sorted()
        return keys.prefix(4).map { TraceAttribute("client_secret.kid", $0) } + [
            TraceAttribute("client_secret.iss", team.id.rawValue),
            TraceAttribute("client_secret.sub", client.id.rawValue), TraceAttribute("client_secret.aud", base),
            TraceAttribute("now", "\(moment.seconds) (\(moment))"),
        ]
    }
}
