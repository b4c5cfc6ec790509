public import Core
public import Platform

/// One event of a sign-in trace, without secrets.
public struct TraceEvent: Sendable {
    /// The kind of event; pages have a text for each.
    public enum Kind: String, CaseIterable, Sendable {
        /// An app sent the browser to sign in, with a valid request.
        case authorization
        case authorizationRefused = "authorization_refused"
        /// A page of an interaction that has ended, is unknown or belongs to another browser.
        case interactionExpired = "attempt_over"
        /// The user proved a first or second factor.
        case proved
        case proofRefused = "proof_refused"
        case cancelled
        /// The user went to a provider to sign in.
        case sentToProvider = "sent_to_provider"
        /// The provider's response is invalid, or the provider was unreachable.
        case providerFailed = "provider_failed"
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
                .providerFailed, .answered:
                true
            case .authorizationRefused, .codeRedeemed, .handedOver, .tokenRefused, .revocationRefused, .requestRefused:
                false
            }
        }

        /// The outcome of the trace after the event; nil for no change.
        public var outcome: TraceOutcome? {
            switch self {
            case .authorization, .proved, .proofRefused, .codeRedeemed, .sentToProvider: nil
            case .providerFailed, .authorizationRefused, .interactionExpired, .tokenRefused, .revocationRefused,
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
