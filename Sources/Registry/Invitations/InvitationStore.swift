public import Core
public import Crypto
public import Platform
public import Postgres

/// Stores the open and expired invitations of a team; an accepted one is deleted.
public struct InvitationStore: Sendable {
    /// Why an invitation was not sent or withdrawn.
    public enum Failure: Error, Equatable, Sendable {
        /// The account's role may not manage the invited role, or the account is no longer a member.
        case notAllowed
        /// The team has as many invitations as it may.
        case tooMany
        /// The team has as many members as it may, so the invitation could not be accepted.
        case teamFull
    }

    /// An invitation with the token of its link, of which the invitation's row has only a hash.
    public struct Issued: Sendable {
        public let invitation: Invitation
        public let token: LinkToken
    }

    let database: TeamDatabase
    private let random: RandomSource

    public init(_ database: TeamDatabase, random: RandomSource = .system) {
        self.database = database
        self.random = random
    }

    /// Invites an address with a new link, which replaces an earlier invitation of that address if the account may
    /// withdraw it.
    ///
    /// - Parameter send: enqueues the email with the link, in the same transaction.
    /// - Throws: `Failure`, `PostgresFailure`, and any error of `send`.
    public func invite(
        _ email: EmailAddress, as role: Role, by account: Subject, in team: TeamID, from origin: Origin,
        at now: Timestamp = .now(), send: (Issued, borrowing Change) async throws -> Void
    ) async throws -> Invitation {
        try await database.change(in: team, by: .member(account), from: origin) { change in
            try await change.lockTeam()
            try await Self.requireRight(of: account, over: role, change)
            if let earlier = try await Self.role(invited: email, change) {
                try await Self.requireRight(of: account, over: earlier, change)
            }
            return try await invite(email, as: role, by: account, at: now, change, send: send)
        }
    }

    /// Invites in the caller's change, whose team is locked, and which has to be rolled back after a failure.
    ///
    /// - Parameter account: one that may invite, or `Invitation.installation`.
    /// - Throws: `Failure.tooMany`, `Failure.teamFull`, `PostgresFailure`, and any error of `send`.
    @discardableResult public func invite(
        _ email: EmailAddress, as role: Role, by account: Subject, at now: Timestamp = .now(),
        _ change: borrowing Change, send: (Issued, borrowing Change) async throws -> Void
    ) async throws -> Invitation {
        let (team, token) = (change.team, LinkToken(random: random))
        guard try await MembershipStore.hasRoom(change) else { throw Failure.teamFull }
        let others: SQL = "invitations WHERE team_id = \(team) AND lower(email) <> lower(\(email))"
        guard try await Quota.invitations.hasRoom(beside: others, change) else { throw Failure.tooMany }
        let rows = try await change.query(
            """
            INSERT INTO invitations AS i (
                team_id, invitation_id, token_hash, email, role, invited_by, created_at, expires_at
            ) VALUES (
                \(team), \(InvitationID(random: random)), \(token.hash), \(email), \(role), \(account), \(now),
                \(now + Invitation.life)
            )
            ON CONFLICT (team_id, lower(email)) DO UPDATE SET
                token_hash = excluded.token_hash, email = excluded.email, role = excluded.role,
                invited_by = excluded.invited_by, created_at = excluded.created_at,
                expires_at = excluded.expires_at
            RETURNING \(Invitation.columns)
            """)
        let issued = Issued(invitation: try rows.only(Invitation.init), token: token)
        try await Self.record("invitation.sent", issued.invitation, change)
        try await send(issued, change)
        return issued.invitation
    }

    /// Returns the team's invitations, newest first.
    public func list(in team: TeamID) async throws(PostgresFailure) -> [Invitation] {
        let rows = try await database.query(Self.selection(in: team), in: team)
        return try rows.all(Invitation.init)
    }

    /// The invitations of the change's team, newest first.
    public static func list(_ change: borrowing Change) async throws(PostgresFailure) -> [Invitation] {
        try await change.query(selection(in: change.team)).all(Invitation.init)
    }

    private static func selection(in team: TeamID) -> SQL {
        """
        SELECT \(Invitation.columns) FROM invitations
        WHERE team_id = \(team) ORDER BY created_at DESC, invitation_id
        """
    }

    /// Returns one of the team's invitations, or nil.
    public func find(_ id: InvitationID, in team: TeamID) async throws(PostgresFailure) -> Invitation? {
        let rows = try await database.query(
            """
            SELECT \(Invitation.columns) FROM invitations WHERE team_id = \(team) AND invitation_id = \(id)
            """, in: team)
        return try rows.firstValue(Invitation.init)
    }

    /// Withdraws an invitation, so that its link is no longer valid.
    ///
    /// - Returns: false when there is none, or it was accepted meanwhile.
    /// - Throws: `Failure.notAllowed`, `PostgresFailure`.
    public func withdraw(_ id: InvitationID, by account: Subject, in team: TeamID, from origin: Origin) async throws
        -> Bool
    {
        try await database.change(in: team, by: .member(account), from: origin) { change in
            // The first lock, as of all that change members or invitations.
            try await change.lockTeam()
            guard let invitation = try await Self.withdraw(id, change) else { return false }
            try await Self.requireRight(of: account, over: invitation.role, change)
            return true
        }
    }

    /// Withdraws an invitation in the caller's change, and returns it; nil if there is none.
    @discardableResult public static func withdraw(_ id: InvitationID, _ change: borrowing Change)
        async throws(PostgresFailure) -> Invitation?
    {
        guard let invitation = try await claim(id, change) else { return nil }
        try await record("invitation.withdrawn", invitation, change)
        return invitation
    }

    /// Deletes the invitation and returns it; only one of several concurrent calls gets it.
    private static func claim(_ id: InvitationID, _ change: borrowing Change) async throws(PostgresFailure)
        -> Invitation?
    {
        let rows = try await change.query(
            """
            DELETE FROM invitations WHERE team_id = \(change.team) AND invitation_id = \(id)
            RETURNING \(Invitation.columns)
            """)
        return try rows.firstValue(Invitation.init)
    }

    /// Uses up a link: deletes its invitation and returns it, if who sent it may still invite to that role.
    ///
    /// Only one of several concurrent calls gets it. The sender's membership is locked before the invitation, in the
    /// same order as when `MembershipStore` takes a right away.
    static func accept(_ token: LinkToken, at now: Timestamp, _ change: borrowing Change) async throws(PostgresFailure)
        -> Invitation?
    {
        let open: SQL = "team_id = \(change.team) AND token_hash = \(token.hash) AND expires_at > \(now)"
        let seen = try await change.query("SELECT \(Invitation.columns) FROM invitations WHERE \(open)")
        guard let sent = try seen.firstValue(Invitation.init),
            try await hasRight(sent.invitedBy, over: sent.role, change)
        else { return nil }
        // An invitation that was sent again meanwhile has another token.
        let taken = try await change.query("DELETE FROM invitations WHERE \(open) RETURNING \(Invitation.columns)")
        return try taken.firstValue(Invitation.init)
    }

    /// Returns the role in an existing invitation of the address, or nil.
    private static func role(invited email: EmailAddress, _ change: borrowing Change) async throws(PostgresFailure)
        -> Role?
    {
        try await change.query(
            "SELECT role FROM invitations WHERE team_id = \(change.team) AND lower(email) = lower(\(email))"
        ).firstValue()
    }

    /// Throws unless the account may manage the role; reads the account's role again, because the page may be outdated.
    static func requireRight(of account: Subject, over role: Role, _ change: borrowing Change) async throws {
        guard try await hasRight(account, over: role, change) else { throw Failure.notAllowed }
    }

    /// Whether the member may manage that role; the membership stays locked until the transaction ends.
    private static func hasRight(_ account: Subject, over role: Role, _ change: borrowing Change)
        async throws(PostgresFailure) -> Bool
    {
        if account == Invitation.installation { return true }
        return try await MembershipStore.heldRole(of: account, change)?.mayManage(role) ?? false
    }

    static func record(_ action: String, _ invitation: Invitation, _ change: borrowing Change)
        async throws(PostgresFailure)
    {
        try await change.record(
            action, AuditEvent.Target("invitation", invitation.id.rawValue),
            to: ["role": .string(invitation.role.rawValue)])
    }
}

/// Finds the team and the invitation of a link's token, and nothing else.
struct InvitationTokenStore: Sendable {
    private let database: SystemDatabase

    init(_ database: SystemDatabase) { self.database = database }

    func find(_ token: LinkToken, at now: Timestamp) async throws(PostgresFailure) -> (
        team: TeamID, invitation: InvitationID
    )? {
        let rows = try await database.query(
            """
            SELECT i.team_id, i.invitation_id FROM invitations i JOIN teams t ON t.team_id = i.team_id
            WHERE i.token_hash = \(token.hash) AND i.expires_at > \(now)
                AND coalesce(t.closed_at, t.deleted_at) IS NULL
            """)
        guard var row = rows.first else { return nil }
        return (try row.next(), try row.next())
    }
}
