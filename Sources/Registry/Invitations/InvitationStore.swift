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
        at now: Timestamp = .now(), send: (Issued, borrowing Transaction) async throws -> Void
    ) async throws -> Invitation {
        let token = LinkToken(random: random)
        return try await database.transaction(in: team) { transaction in
            try await transaction.lock(team)
            try await Self.requireRight(of: account, over: role, in: team, transaction)
            if let earlier = try await Self.role(invited: email, in: team, transaction) {
                try await Self.requireRight(of: account, over: earlier, in: team, transaction)
            }
            guard try await MembershipStore.hasRoom(in: team, transaction) else { throw Failure.teamFull }
            let others: SQL = "invitations WHERE team_id = \(team) AND lower(email) <> lower(\(email))"
            guard try await Quota.invitations.hasRoom(beside: others, transaction) else { throw Failure.tooMany }
            let rows = try await transaction.query(
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
            try await Self.event("invitation.sent", issued.invitation, by: account, from: origin).record(
                in: team, transaction)
            try await send(issued, transaction)
            return issued.invitation
        }
    }

    /// Returns the team's invitations, newest first.
    public func list(in team: TeamID) async throws(PostgresFailure) -> [Invitation] {
        let rows = try await database.query(
            """
            SELECT \(Invitation.columns) FROM invitations
            WHERE team_id = \(team) ORDER BY created_at DESC, invitation_id
            """, in: team)
        return try rows.all(Invitation.init)
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
        try await database.transaction(in: team) { transaction in
            guard let invitation = try await Self.claim(id, in: team, transaction) else { return false }
            try await Self.requireRight(of: account, over: invitation.role, in: team, transaction)
            try await Self.event("invitation.withdrawn", invitation, by: account, from: origin).record(
                in: team, transaction)
            return true
        }
    }

    /// Deletes the invitation and returns it; only one of several concurrent calls gets it.
    private static func claim(_ id: InvitationID, in team: TeamID, _ transaction: borrowing Transaction)
        async throws(PostgresFailure) -> Invitation?
    {
        let rows = try await transaction.query(
            """
            DELETE FROM invitations WHERE team_id = \(team) AND invitation_id = \(id)
            RETURNING \(Invitation.columns)
            """)
        return try rows.firstValue(Invitation.init)
    }

    /// Uses up a link: deletes its invitation and returns it, if its sender may still invite to that role.
    ///
    /// Only one of several concurrent calls gets it. The sender's membership is locked before the invitation, in the
    /// same order as when `MembershipStore` takes a right away.
    static func accept(_ token: LinkToken, in team: TeamID, at now: Timestamp, _ transaction: borrowing Transaction)
        async throws(PostgresFailure) -> Invitation?
    {
        let open: SQL = "team_id = \(team) AND token_hash = \(token.hash) AND expires_at > \(now)"
        let seen = try await transaction.query("SELECT \(Invitation.columns) FROM invitations WHERE \(open)")
        guard let sent = try seen.firstValue(Invitation.init),
            try await hasRight(sent.invitedBy, over: sent.role, in: team, transaction)
        else { return nil }
        // An invitation that was sent again meanwhile has another token.
        let taken = try await transaction.query("DELETE FROM invitations WHERE \(open) RETURNING \(Invitation.columns)")
        return try taken.firstValue(Invitation.init)
    }

    /// Returns the role in an existing invitation of the address, or nil.
    private static func role(invited email: EmailAddress, in team: TeamID, _ transaction: borrowing Transaction)
        async throws(PostgresFailure) -> Role?
    {
        try await transaction.query(
            "SELECT role FROM invitations WHERE team_id = \(team) AND lower(email) = lower(\(email))"
        ).firstValue()
    }

    /// Throws unless the account may manage the role; reads the account's role again, because the page may be outdated.
    static func requireRight(
        of account: Subject, over role: Role, in team: TeamID, _ transaction: borrowing Transaction
    ) async throws {
        guard try await hasRight(account, over: role, in: team, transaction) else { throw Failure.notAllowed }
    }

    /// Whether the member may manage that role; the membership stays locked until the transaction ends.
    private static func hasRight(
        _ account: Subject, over role: Role, in team: TeamID, _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) -> Bool {
        try await MembershipStore.heldRole(of: account, in: team, transaction)?.mayManage(role) ?? false
    }

    static func event(_ action: String, _ invitation: Invitation, by account: Subject, from origin: Origin)
        -> AuditEvent
    {
        AuditEvent(
            action, by: .member(account), on: AuditEvent.Target("invitation", invitation.id.rawValue), from: origin,
            after: ["role": .string(invitation.role.rawValue)])
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
