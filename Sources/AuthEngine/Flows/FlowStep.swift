public import Bytes
public import Domain

/// One thing that happened in a flow, with nothing in it that is a secret.
public struct FlowStep: Sendable {
    /// What happened; pages have words for each.
    public enum Kind: String, CaseIterable, Sendable {
        /// An app sent a person here, and the request was in order.
        case authorization
        case authorizationRefused = "authorization_refused"
        /// A page of a sign-in that is over, unknown or another browser's.
        case attemptOver = "attempt_over"
        /// The person proved who they are, or gave the second of two proofs.
        case proved
        case proofRefused = "proof_refused"
        case cancelled
        /// The person went to a provider to prove it there.
        case sentToProvider = "sent_to_provider"
        /// What the provider answered is not good, or it could not be asked.
        case providerFailed = "provider_failed"
        /// The app was answered: with a code, and what else it asked for.
        case answered
        case codeRedeemed = "code_redeemed"
        /// A native app handed over what Apple gave it, and got tokens.
        case handedOver = "handed_over"
        /// The token endpoint refused, whatever the grant.
        case tokenRefused = "token_refused"
        case revocationRefused = "revocation_refused"
        /// One of the other addresses that apps ask refused.
        case requestRefused = "request_refused"

        /// Whether a person's browser takes it; else a server or an app does.
        var isOfBrowser: Bool {
            switch self {
            case .authorization, .attemptOver, .proved, .proofRefused, .cancelled, .sentToProvider,
                .providerFailed,
                .answered:
                true
            case .authorizationRefused, .codeRedeemed, .handedOver, .tokenRefused, .revocationRefused,
                .requestRefused:
                false
            }
        }

        /// What the flow is from then on; nil leaves it as it was.
        var outcome: FlowOutcome? {
            switch self {
            case .authorization, .proved, .proofRefused, .codeRedeemed, .sentToProvider: nil
            case .providerFailed, .authorizationRefused, .attemptOver, .tokenRefused, .revocationRefused,
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
    /// The engine's own words for what was wrong.
    public let reason: String?
    /// What was asked.
    public let sent: [FlowFact]
    /// What is registered, or was expected.
    public let known: [FlowFact]
    /// What was answered.
    public let answered: [FlowFact]

    init(
        _ kind: Kind,
        at moment: Timestamp,
        from origin: Origin,
        cause: RefusalCause? = nil,
        reason: String? = nil,
        sent: [FlowFact] = [],
        known: [FlowFact] = [],
        answered: [FlowFact] = []
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

    /// Octets of all facts of a step: it is kept for weeks, and anybody may cause it.
    private static let octetLimit = 4096

    /// The facts for which there is room.
    private static func fitting(_ facts: [FlowFact], in room: inout Int) -> [FlowFact] {
        facts.filter { fact in
            guard fact.octets <= room else { return false }
            room -= fact.octets
            return true
        }
    }

    /// What it takes to keep it, in KiB.
    var weight: Int {
        let facts = (sent + known + answered).reduce(0) { $0 + $1.octets }
        let texts = [reason ?? "", origin.userAgent].reduce(0) { $0 + JSONWriter.octets(of: $1) }
        return 1 + (facts + texts) / 1024
    }
}

/// How far a flow came.
public enum FlowOutcome: String, CaseIterable, Sendable {
    /// Under way, or left.
    case open
    case cancelled
    case failed
    /// The app has its answer.
    case answered
}

// As it is stored: a JSON object, written by hand since one is written for every redeemed code.
extension FlowStep {
    var stored: String {
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

    /// Names and values in turns.
    private static func pairs(_ facts: [FlowFact]) -> [String] {
        facts.flatMap { [$0.name, $0.value] }
    }

    /// Reads what `stored` wrote; nil for a kind that a later release wrote.
    init?(stored text: String) throws(JSON.Failure) {
        let record = try JSON.decode(Record.self, from: Array(text.utf8))
        guard let kind = Kind(rawValue: record.kind) else { return nil }
        self.kind = kind
        at = Timestamp(microseconds: record.at)
        origin = Origin(
            ip: record.ip ?? "",
            userAgent: record.agent ?? "",
            requestID: record.request ?? ""
        )
        cause = record.cause.map { RefusalCause(rawValue: $0) ?? .other }
        reason = record.reason
        sent = Self.facts(record.sent)
        known = Self.facts(record.known)
        answered = Self.facts(record.answered)
    }

    private static func facts(_ pairs: [String]?) -> [FlowFact] {
        guard let pairs else { return [] }
        return stride(from: 0, to: pairs.count - 1, by: 2).map { index in
            FlowFact(stored: pairs[index], pairs[index + 1])
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
