public import Core
public import Directory
public import Platform
public import Postgres

/// The second factor that a user must still provide.
public enum SecondFactorDue: String, SQLText, Sendable {
    case nothing
    /// One of the user's existing factors.
    case proof
    /// The enrolment of a factor, which the team requires of every user.
    case enrolment
}

/// State of the user's authentication in an interaction.
///
/// It belongs to one interaction, and so to one browser.
public struct InteractionProgress: Sendable {
    /// The first factor: the user, the login name entered, and the proof.
    public struct Identity: Sendable {
        public let subject: Subject
        /// Login name as entered; empty when none was, as with a passkey.
        public let login: String
        public let proof: Proof
        public let due: SecondFactorDue
    }

    public let identity: Identity?
    public let second: Proof?
    /// Time at which the proofs were exchanged for a session.
    public let enteredAt: Timestamp?
    /// Whether the user chose to sign in to another account than that of the browser's session.
    public let requiresReauthentication: Bool

    /// The state before any proof.
    public static let none = InteractionProgress(
        identity: nil, second: nil, enteredAt: nil, requiresReauthentication: false)

    /// The authentication still required before the goal can be reached.
    public enum Status: Sendable {
        /// No user is authenticated.
        case stranger
        /// The first factor is proved, the second is not.
        case owes(SecondFactorDue, Identity)
        /// All factors are proved; the session is not created yet.
        case proved(Identity)
        /// The browser has a session to continue with.
        case settled
    }

    /// The status, computed without side effects: proofs of this interaction take precedence over an earlier session.
    public func status(hasSession: Bool) -> Status {
        if let identity, enteredAt == nil {
            let isProved = identity.due == .nothing || second != nil
            return isProved ? .proved(identity) : .owes(identity.due, identity)
        }
        return hasSession && !requiresReauthentication ? .settled : .stranger
    }
}
