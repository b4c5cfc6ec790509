public import Domain

/// A change of who belongs to a team.
public enum MemberChange: Hashable, Sendable {
    /// Gives a member another role; `was` is the one that the form showed.
    case role(of: Subject, was: Role, becomes: Role)
    case removal(of: Subject, reason: String)
    /// The member who asks goes by themselves.
    case departure
    /// An owner makes another member an owner and becomes an admin.
    case transfer(to: Subject, reason: String)

    /// What became of it.
    public enum Outcome: Hashable, Sendable {
        case done
        /// Nobody of that account is a member any more.
        case notFound
        /// Somebody else was faster: the role the member has now.
        case conflict(Role)
        /// It would leave the team without an owner.
        case lastOwner
        /// The role of the one who asks does not reach so far.
        case notAllowed
    }
}
