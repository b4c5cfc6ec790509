public import Bytes
public import Directory
public import Domain
public import Postgres

/// What a person owes beside their first proof.
public enum SecondFactorDue: String, SQLText, Sendable {
    case nothing
    /// One of the factors they have.
    case proof
    /// To set one up, which their team wants of everybody.
    case enrolment
}

/// How far a person has come in proving who they are.
///
/// It belongs to one attempt, and so to one browser.
public struct AttemptProgress: Sendable {
    /// The first proof: whose, and under which name it was given.
    public struct Identity: Sendable {
        public let subject: Subject
        /// As it was typed; empty where none was, as with a passkey.
        public let login: String
        public let proof: Proof
        public let due: SecondFactorDue
    }

    public let identity: Identity?
    public let second: Proof?
    /// When the proofs became a session.
    public let enteredAt: Timestamp?
    /// The person asked for another account than the one of the session.
    public let setsSessionAside: Bool

    /// Nothing proved yet.
    public static let none = AttemptProgress(
        identity: nil,
        second: nil,
        enteredAt: nil,
        setsSessionAside: false
    )

    /// What has to happen before anything may be decided about the goal.
    public enum Standing: Sendable {
        /// Nobody in particular is here.
        case stranger
        /// The first proof is given, the second is not.
        case owes(SecondFactorDue, Identity)
        /// Every proof is given; they have yet to become a session.
        case proved(Identity)
        /// There is a session to go on with.
        case settled
    }

    /// Pure: what was proved in this attempt comes before the session the browser has from an earlier one.
    public func standing(hasSession: Bool) -> Standing {
        if let identity, enteredAt == nil {
            let isProved = identity.due == .nothing || second != nil
            return isProved ? .proved(identity) : .owes(identity.due, identity)
        }
        return hasSession && !setsSessionAside ? .settled : .stranger
    }
}
