import Core
import Crypto
public import Directory
import HTTP
import OAuth
public import Platform
public import Postgres
public import Registry

/// Adds the factor in a form, during a sign-in or on the account pages.
struct FactorEnrolment: Sendable {
    let factors: SecondFactors
    let subject: Subject
    let team: TeamID
    let browser: String
    let origin: Origin
    let now: Timestamp
    /// Whether the user must not have a factor yet, as in a sign-in by password alone.
    let isFirst: Bool
    let right: EnrolmentRight
    let mailer: FactorMailer

    /// Result of adding a factor.
    enum Outcome: Sendable {
        /// With the recovery codes to show, if they are the user's first.
        case added(FactorKind, [RecoveryCode]?)
        /// The user has a factor already, which must be requested instead.
        case notFirst
        /// The session or interaction that allowed the addition has ended.
        case expired
        case refused(FactorKind, Message, TOTPOffer?)
    }

    /// - Returns: nil if the form contains no factor.
    func add(_ form: Form) async throws -> Outcome? {
        switch form["method"].flatMap(FactorKind.init) {
        case .totp: try await addTOTP(form)
        case .passkey: try await addPasskey(form)
        case .recoveryCode, nil: nil
        }
    }

    private func addTOTP(_ form: Form) async throws -> Outcome {
        guard let offer = factors.offers.open(form["offer"] ?? "", for: subject, in: team, at: now) else {
            return .refused(.totp, Message("hosted.factors.set-up.totp.expired"), nil)
        }
        do {
            let codes = try await factors.totp.enrol(
                offer.secret, provedBy: form["code"] ?? "", of: subject, isFirst: isFirst, by: right, in: team,
                from: origin, at: now, telling: mailer)
            return .added(.totp, codes)
        } catch FactorRefusal.wrongCode {
            return .refused(.totp, Message("hosted.factors.set-up.totp.wrong"), offer)
        } catch FactorRefusal.notFirst { return .notFirst } catch FactorRefusal.expired { return .expired }
    }

    private func addPasskey(_ form: Form) async throws -> Outcome? {
        guard let passkeys = factors.passkeys else { return nil }
        guard let name = PasskeyName(form["name"] ?? "") else {
            return .refused(.passkey, Message("hosted.factors.set-up.passkey.name-rule"), nil)
        }
        do {
            guard let response = form.registration else { throw FactorRefusal.notProved }
            let codes = try await passkeys.register(
                response, named: name, transports: form.transports, for: subject, isFirst: isFirst, by: right,
                browser: browser, in: team, from: origin, at: now, telling: mailer)
            return .added(.passkey, codes)
        } catch FactorRefusal.notFirst { return .notFirst } catch FactorRefusal.expired { return .expired } catch let
            refusal as FactorRefusal
        { return .refused(.passkey, Self.words(refusal), nil) }
    }

    private static func words(_ refusal: FactorRefusal) -> Message {
        switch refusal {
        case .taken: Message("hosted.factors.set-up.passkey.taken")
        case .tooMany: Message("hosted.factors.set-up.passkey.too-many")
        default: Message("hosted.factors.set-up.passkey.refused")
        }
    }
}

/// Decides whether a user's proofs satisfy the second-factor policy.
///
/// Checked wherever a session is read, including the console, so that no sign-in method bypasses the policy.
public struct FactorGate: Sendable {
    private let factors: FactorStore
    private let rights: AccountRightsStore
    private let sparesRoles: Bool

    /// - Parameter sparesRoles: whether operators, owners and admins need no more than other users, as on a laptop.
    public init(_ database: TeamDatabase, rights: AccountRightsStore, sparesRoles: Bool) {
        factors = FactorStore(database)
        self.rights = rights
        self.sparesRoles = sparesRoles
    }

    /// Policy for a user of the team.
    ///
    /// In the system team, operators and the owners and admins of teams need a second factor.
    public func policy(for subject: Subject, of team: TeamID, _ rule: SecondFactor) async throws(PostgresFailure)
        -> FactorPolicy
    {
        guard team == .system, !sparesRoles else { return FactorPolicy(rule) }
        return policy(try await rights.find(of: subject), rule)
    }

    /// Next step for a user after these proofs.
    func due(of subject: Subject, provedBy methods: [ProofMethod], in team: TeamID, _ rule: SecondFactor)
        async throws(PostgresFailure) -> FactorDecision
    {
        // A proof stronger than a password satisfies every policy, so that nothing needs to be read.
        if FactorPolicy(rule, isDemanded: true).isSatisfied(by: methods) { return .none }
        let policy = try await policy(for: subject, of: team, rule)
        if policy.isSatisfied(by: methods) { return .none }
        return policy.decide(try await factors.enrolled(of: subject, in: team), provedBy: methods)
    }

    /// Whether a session's proofs still satisfy the team's policy.
    func admits(_ session: Session, to team: TeamID, _ rule: SecondFactor) async throws(PostgresFailure) -> Bool {
        let methods = session.methods
        if FactorPolicy(rule, isDemanded: true).isSatisfied(by: methods) { return true }
        let policy = try await policy(for: session.user.subject, of: team, rule)
        return policy.isSatisfied(by: methods) || policy.decide(session.factors, provedBy: methods) == .none
    }

    /// Whether a session's proofs satisfy the console's policy, for a caller that has read the account's rights.
    public func admits(_ session: Session, with rights: AccountRights) -> Bool {
        let policy = sparesRoles ? FactorPolicy(.optional) : policy(rights, .optional)
        if policy.isSatisfied(by: session.methods) { return true }
        return policy.decide(session.factors, provedBy: session.methods) == .none
    }

    private func policy(_ rights: AccountRights, _ rule: SecondFactor) -> FactorPolicy {
        let isDemanded = rights.isOperator || rights.memberships.contains { [.owner, .admin].contains($0.role) }
        return FactorPolicy(rule, isDemanded: isDemanded)
    }
}

extension SecondFactorDue {
    /// Creates the value that an interaction stores for a decision.
    init(_ decision: FactorDecision) {
        switch decision {
        case .none: self = .nothing
        case .ask: self = .proof
        case .mustEnrol: self = .enrolment
        }
    }
}

/// One try at a second factor, from a form.
struct FactorProof: Sendable {
    let subject: Subject
    let team: TeamID
    /// Name of the interaction or session to which the limit of five tries applies.
    let interaction: String
    /// Value of the browser cookie.
    let browser: String
    let origin: Origin
    let now: Timestamp

    /// Verifies the proof in the form; nil if it contains none, or a passkey that the server cannot use.
    func check(_ form: Form, with factors: SecondFactors) async throws -> (kind: FactorKind, result: FactorResult)? {
        guard let kind = form["method"].flatMap(FactorKind.init) else { return nil }
        switch kind {
        case .totp: return (kind, try await check(.totp(form["code"] ?? ""), factors))
        case .recoveryCode: return (kind, try await check(.recovery(form["code"] ?? ""), factors))
        case .passkey:
            guard let passkeys = factors.passkeys else { return nil }
            guard let response = form.assertion else { return (kind, .wrong) }
            let isProved = try await passkeys.prove(
                response, of: subject, browser: browser, in: team, from: origin, at: now)
            return (kind, isProved ? .proved : .wrong)
        }
    }

    private func check(_ code: FactorSignIn.Code, _ factors: SecondFactors) async throws -> FactorResult {
        try await factors.codes.prove(code, of: subject, interaction: interaction, in: team, from: origin, at: now)
    }
}
