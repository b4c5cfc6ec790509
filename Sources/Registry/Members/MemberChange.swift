public import Platform

/// A change of a team's members.
public enum MemberChange: Hashable, Sendable {
    /// Gives a member another role; `was` is the role that the form showed.
    case role(of: Subject, was: Role, becomes: Role)
    case removal(of: Subject, reason: String)
    /// The requesting member leaves the team.
    case departure
    /// An owner makes another member an owner and becomes an admin.
    case transfer(to: Subject, reason: String)

    /// Result of a change.
    public enum Outcome: Hashable, Sendable {
        case done
        /// The account is not a member any more.
        case notFound
        /// The member's role was changed meanwhile; the value is the current role.
        case conflict(Role)
        /// The change would leave the team without an owner.
        case lastOwner
        /// The role of the requesting account does not permit the change.
        case notAllowed
    }
}
