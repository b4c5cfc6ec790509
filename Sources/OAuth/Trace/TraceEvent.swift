public import Core
import Crypto
public import Platform
import Registry

/// One event of a sign-in trace, without secrets.
public struct TraceEvent: Sendable {
    /// The kind of event; pages have a text for each.
    public enum Kind: String, CaseIterable, Sendable {
        /// An app sent the browser to sign in, with a valid request.
        case authorization
        case authorizationRefused = "authorization_refused"
        /// A page of an interaction that has ended, is unknown or belongs to another browser.
        case interactionExpired = "interaction_over"
        /// The user proved a first or second factor.
        case proved
        case proofRefused = "proof_refused"
        case cancelled
        /// The user went to a provider to sign in.
        case sentToProvider = "sent_to_provider"
        /// The provider's response is invalid, or the provider was unreachable.
        case upstreamFailed = "upstream_failed"
        /// The response to the app, with a code and the other requested values.
        case answered
        case codeRedeemed = "code_redeemed"
        /// A native app exchanged the result of Apple's sign-in for tokens.
        case handedOver = "handed_over"
        /// A refusal of the token endpoint, for any grant.
        case tokenRefused = "token_refused"
        case revocationRefused = "revocation_refused"
        /// A refusal of one of the other endpoints for apps.
        case requestRefused = "request_refused"

        /// Whether the event comes from a user's browser, not from a server or an app.
        public var isOfBrowser: Bool {
            switch self {
            case .authorization, .interactionExpired, .proved, .proofRefused, .cancelled, .sentToProvider,
                .upstreamFailed, .answered:
                true
            case .authorizationRefused, .codeRedeemed, .handedOver, .tokenRefused, .revocationRefused, .requestRefused:
                false
            }
        }

        /// The outcome of the trace after the event; nil for no change.
        public var outcome: TraceOutcome? {
            switch self {
            case .authorization, .proved, .proofRefused, .codeRedeemed, .sentToProvider: nil
            case .upstreamFailed, .authorizationRefused, .interactionExpired, .tokenRefused, .revocationRefused,
                .requestRefused:
                .failed
            case .cancelled: .cancelled
            case .answered, .handedOver: .answered
            }
        }
    }

    public let kind: Kind
    public let at: Timestamp
    public let origin: Origin
    public let cause: RefusalCause?
    /// The engine's description of the error.
    public let reason: String?
    /// The values of the request.
    public let sent: [TraceAttribute]
    /// The values registered or expected.
    public let known: [TraceAttribute]
    /// The values of the response.
    public let answered: [TraceAttribute]

    public init(
        _ kind: Kind, at moment: Timestamp, from origin: Origin, cause: RefusalCause? = nil, reason: String? = nil,
        sent: [TraceAttribute] = [], known: [TraceAttribute] = [], answered: [TraceAttribute] = []
    ) {
        self.kind = kind
        at = moment
        self.origin = origin
        self.cause = cause
        self.reason = reason.map { Redaction.text($0, limit: 300) }
        var room = Self.octetLimit
        self.answered = Self.fitting(answered, in: &room)
        self.sent = Self.fitting(sent, in: &room)
        self.known = Self.fitting(known, in: &room)
    }

    /// Octets of all attributes of an event; limited, because it is stored for weeks and needs no account.
    private static let octetLimit = 4096

    /// The attributes that fit into the remaining room.
    private static func fitting(_ facts: [TraceAttribute], in room: inout Int) -> [TraceAttribute] {
        facts.filter { fact in
            guard fact.octets <= room else { return false }
            room -= fact.octets
            return true
        }
    }

    /// Size of the stored event, in KiB.
    public var weight: Int {
        let facts = (sent + known + answered).reduce(0) { $0 + $1.octets }
        let texts = [reason ?? "", origin.userAgent].reduce(0) { $0 + JSONWriter.octets(of: $1) }
        return 1 + (facts + texts) / 1024
    }
}

/// Outcome of a sign-in trace.
public enum TraceOutcome: String, CaseIterable, Sendable {
    /// In progress, or abandoned.
    case open
    case cancelled
    case failed
    /// The app has its response.
    case answered
}

// The stored form: a JSON object, written by hand for speed, because one is written for every redeemed code.
extension TraceEvent {
    public var stored: String {
        var json = JSONWriter(capacity: 512)
        json.member("kind", kind.rawValue)
        json.member("at", Int(at.microseconds))
        if !origin.ip.isEmpty { json.member("ip", origin.ip) }
        if !origin.userAgent.isEmpty { json.member("agent", Redaction.text(origin.userAgent, limit: 400)) }
        if !origin.requestID.isEmpty { json.member("request", origin.requestID) }
        if let cause { json.member("cause", cause.rawValue) }
        if let reason { json.member("reason", reason) }
        if !sent.isEmpty { json.member("sent", Self.pairs(sent)) }
        if !known.isEmpty { json.member("known", Self.pairs(known)) }
        if !answered.isEmpty { json.member("answered", Self.pairs(answered)) }
        return String(decoding: json.finish(), as: UTF8.self)
    }

    /// Alternating names and values.
    private static func pairs(_ facts: [TraceAttribute]) -> [String] { facts.flatMap { [$0.name, $0.value] } }

    /// Reads the stored form; nil for a kind written by a later release.
    public init?(stored text: String) throws(JSON.Failure) {
        let record = try JSON.decode(Record.self, from: Array(text.utf8))
        guard let kind = Kind(rawValue: record.kind) else { return nil }
        self.kind = kind
        at = Timestamp(microseconds: record.at)
        origin = Origin(ip: record.ip ?? "", userAgent: record.agent ?? "", requestID: record.request ?? "")
        cause = record.cause.map { RefusalCause(rawValue: $0) ?? .other }
        reason = record.reason
        sent = Self.facts(record.sent)
        known = Self.facts(record.known)
        answered = Self.facts(record.answered)
    }

    private static func facts(_ pairs: [String]?) -> [TraceAttribute] {
        guard let pairs else { return [] }
        return stride(from: 0, to: pairs.count - 1, by: 2).map { index in
            TraceAttribute(stored: pairs[index], pairs[index + 1])
        }
    }

    private struct Record: Decodable {
        let kind: String
        let at: Int64
        let ip: String?
        let agent: String?
        let request: String?
        let cause: String?
        let reason: String?
        let sent: [String]?
        let known: [String]?
        let answered: [String]?
    }
}

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
            sent: facts(of: fields), known: link(fields) + known(about: refusal, fields, team))
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
            ClientID(rawValue: field.value.typedCode) == nil
                ? TraceAttribute("client_id", lengthOf: field.value) : TraceAttribute("client_id", field.value)
        case "redirect_uri": TraceAttribute("redirect_uri", url: field.value)
        case "response_type", "response_mode", "scope", "grant_type", "code_challenge_method", "prompt", "locale",
            "ui_locales":
            TraceAttribute(field.name.text, field.value, limit: 100)
        default: TraceAttribute(name, lengthOf: field.value)
        }
    }

    private static func link(_ fields: [FormCoding.Field]) -> [TraceAttribute] {
        LinkDamage(fields).map { [TraceAttribute("link", $0.rawValue)] } ?? []
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
        let urls = client.returnURLs.map { TraceAttribute("registered", $0.text, limit: 500) }
        guard let comparison = ReturnURLComparison(sent, with: client.returnURLs) else { return urls }
        let differences = comparison.differences.map { "\($0)" }.joined(separator: " ")
        return [
            TraceAttribute("nearest", comparison.nearest.text, limit: 500), TraceAttribute("differences", differences),
        ] + urls
    }
}

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
            known: link(fields) + error.expected
                + (isAuthentication ? expected(of: fields, team, base, moment) : codeIssuer(error.cause, fields, team)),
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
        case .codeMalformed where AuthorizationCode.hasForm(sent("code")), .upstreamCode, .upstreamRequest:
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
