public import Core
import Directory
public import OAuth
public import Platform
public import Postgres

/// Request to a provider and its answer, without secrets, for the team's inspector.
public struct UpstreamExchange: Equatable, Sendable {
    /// The provider's answer.
    public struct Answer: Sendable {
        let status: String
        let error: String?
        let errorDescription: String?
        let fault: String?

        /// - Parameters:
        ///   - error: the provider's error code.
        ///   - fault: the fault that a simulator reports to have been configured with.
        public init(status: Int, error: String?, errorDescription: String?, fault: String?) {
            self.status = String(status)
            self.error = error
            self.errorDescription = errorDescription
            self.fault = fault
        }

        /// The provider's error code if it has the form of one, otherwise the length of the text.
        public static func word(_ error: String) -> String { Redaction.code(error) }

        /// Creates the record of a missing answer.
        ///
        /// - Parameter reason: short cause, without secrets.
        public init(noneBecause reason: String) {
            status = "(\(reason))"
            (error, errorDescription, fault) = (nil, nil, nil)
        }
    }

    let sent: [TraceAttribute]
    let answered: [TraceAttribute]

    /// - Parameters:
    ///   - url: URL at the provider, without user data.
    ///   - fields: the form; only the length of codes and secrets is kept, and the claims of a client secret.
    public init(of url: String, _ fields: [FormCoding.Field], answer: Answer) {
        let secrets = Self.secrets(in: fields)
        sent =
            [TraceAttribute("endpoint", url: url)] + TraceEvent.facts(of: fields) + TraceEvent.clientSecret(in: fields)
        answered =
            [TraceAttribute("status", answer.status)]
            + [
                answer.error.map { TraceAttribute("error", Self.harmless(Redaction.code($0), secrets)) },
                answer.errorDescription.map {
                    TraceAttribute("error_description", Self.harmless($0, secrets), limit: 200)
                }, answer.fault.map { TraceAttribute("fault", $0, limit: 40) },
            ].compactMap(\.self)
    }

    /// The provider's description of its error, unless it was withheld.
    var errorDescription: String? {
        answered.first { $0.name == "error_description" && $0.value != Redaction.withheld }?.value
    }

    /// Minimum length of a value that is searched for in an answer: shorter ones are protocol keywords.
    private static let secretLength = 16

    /// Values of which only the length is shown.
    private static func secrets(in fields: [FormCoding.Field]) -> [String] {
        zip(fields, TraceEvent.facts(of: fields)).filter { field, fact in
            field.value.utf8.count >= secretLength && fact.value == Redaction.length(of: field.value)
        }.map { field, _ in field.value }
    }

    /// Withholds a text that contains a secret, because an answer may repeat the request.
    private static func harmless(_ text: String, _ secrets: [String]) -> String {
        secrets.contains { text.contains($0) } ? Redaction.withheld : text
    }
}

/// The accounts of users, as events at a provider concern them; the module Accounts implements it.
public protocol UpstreamAccounts: Sendable {
    /// Deletes a user in the caller's transaction, because the provider's account ended.
    func end(_ subject: Subject, in team: TeamID, by actor: Actor, reason: String, _ transaction: borrowing Transaction)
        async throws

    /// Statement that notes the state of an upstream token in the receipts of account deletions.
    ///
    /// - Parameters:
    ///   - fate: nil for a token that is to be revoked after all.
    ///   - tokens: a query of ids of upstream tokens.
    func noting(_ fate: UpstreamTokenFate?, ofThose tokens: SQL, in team: TeamID) -> SQL
}

/// Final result of an upstream token's revocation.
public enum UpstreamTokenFate: Equatable, Sendable {
    case revoked
    case refused(UpstreamTokenProblem)
    /// No call, because the user has signed in again; the revocation of the newer token will end the authorization.
    case superseded
}

/// Failure of a sign-in at a provider: its cause, for the team's inspector, and what the user can do about it.
public struct UpstreamFailure: Error, Equatable, Sendable {
    /// Action that may resolve a failure.
    public enum Remedy: Sendable {
        /// Retry with the same answer, of which nothing is spent.
        case again
        /// New upstream request.
        case anew
        /// None, except a change by the team.
        case none
    }

    public let cause: RefusalCause
    /// For the inspector and the log; contains no secret.
    public let reason: String
    public let remedy: Remedy
    /// Time that the provider asks to wait.
    public let retryAfter: Duration?
    /// Request to the provider and its answer, if they are the cause.
    public var exchange: UpstreamExchange?
    /// Whether the provider had been asked; false for failures of local checks.
    public internal(set) var reachedProvider = false

    public init(_ cause: RefusalCause, _ remedy: Remedy, because reason: String, retryAfter: Duration? = nil) {
        self.cause = cause
        self.reason = reason
        self.remedy = remedy
        self.retryAfter = retryAfter
    }

    /// This failure, marked as one after the provider was asked.
    var ofProvider: UpstreamFailure {
        var failure = self
        failure.reachedProvider = true
        return failure
    }

    /// The provider's identifier of the user is that of another user in the directory.
    static let subjectTaken = UpstreamFailure(
        .upstreamSubjectTaken, .none, because: "the provider's name for the person is that of somebody of the directory"
    )

    /// The provider account is no longer linked to the user, or the user is suspended.
    static let unlinked = UpstreamFailure(
        .upstreamUnlinked, .anew,
        because: "the person has parted from the account, or was suspended, since they approved")

    /// Whether the answer can be judged later: once the provider recovers, or once the team is connected again.
    var keepsAnswer: Bool { remedy == .again || cause == .upstreamAbsent }

    /// Whether the request certainly had no effect; after any other failure it may have had one.
    var leavesUndone: Bool {
        [.upstreamAbsent, .upstreamBusy, .upstreamClient, .upstreamRequest, .upstreamThrottles].contains(cause)
    }

    /// Whether the failure concerns one answer alone, so that others may succeed.
    var isOfOneAnswer: Bool { [.upstreamKey, .upstreamExpired, .upstreamAbsent].contains(cause) }
}

/// Answer that a provider posted to the return URL, not verified yet.
public struct UpstreamResponse: Codable, Sendable {
    public let code: String?
    public let idToken: String?
    /// Apple's `user`: JSON text with the name and the email address, sent once and not signed.
    public let user: String?
    public let error: String?
    /// Identifies the upstream request; nil if the sender omitted it.
    let state: String?

    /// Maximum size in bytes, several times that of a provider's answer; each upstream request may store this much.
    static let mostOctets = 8192

    /// Size in bytes as stored.
    public var octets: Int { JSON.encode(self).count }

    /// Whether the answer may identify a user, which takes a token in the form of RFC 7519.
    var mayProve: Bool {
        guard error == nil, let idToken else { return false }
        let parts = idToken.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count == 3 && parts.allSatisfy { !$0.isEmpty }
            && Base64URL.decode(String(decoding: parts[0], as: UTF8.self)).flatMap { try? JSON.object($0) } != nil
    }

    public init(_ parameters: ProtocolParameters) {
        code = parameters["code"]
        idToken = parameters["id_token"]
        user = parameters["user"]
        error = parameters["error"]
        state = parameters["state"]
    }
}

/// Operations after a sign-in: revocation and validation of a provider's tokens, and its notifications.
public protocol UpstreamTokenService: Sendable {
    var id: ProviderID { get }

    /// Ends the authorization of a token; a token that is already dead is no failure.
    ///
    /// - Parameter text: the text of `token`.
    /// - Throws: `UpstreamFailure`; with the remedy `again` if the provider has a problem.
    func revoke(_ token: UpstreamToken, text: String, in team: TeamSnapshot) async throws(UpstreamFailure)

    /// Whether the authorization of a token is still valid.
    ///
    /// - Throws: `UpstreamFailure` if this cannot be determined; with the cause `upstreamClient` or `upstreamAbsent` if
    ///   the team must change something.
    func isAlive(_ token: UpstreamToken, text: String, in team: TeamSnapshot) async throws(UpstreamFailure) -> Bool

    /// Verifies a notification and returns its content.
    ///
    /// - Parameter moment: time of arrival, at which the notification's times are checked.
    /// - Throws: `UpstreamFailure`; with the remedy `again` if it could not be verified now.
    func notification(_ body: [UInt8], receivedAt moment: Timestamp, in team: TeamSnapshot)
        async throws(UpstreamFailure) -> UpstreamNotification
}
