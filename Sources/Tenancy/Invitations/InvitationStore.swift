import Audit
public import Bytes
public import Crypto
public import Domain
public import Postgres

/// The invitations of a team that are open or have lapsed; an accepted one is gone.
public struct InvitationStore: Sendable {
    /// Why nobody was invited.
    public enum Failure: Error, Equatable, Sendable {
        /// The role of the one who invites does not reach so far, or they are no member any more.
        case notAllowed
        /// The team has `Invitation.limit` invitations already.
        case tooMany
        /// The team has `Member.limit` members already: nobody could accept.
        case teamFull
    }

    /// An invitation with the secret of its link, which exists nowhere else.
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

    /// Invites an address under a new link; an earlier invitation of that address is void, which is for those alone who
    /// may take it back.
    ///
    /// - Parameter send: hands the link to the mail, in the same transaction.
    /// - Throws: `Failure`, `PostgresFailure`, and whatever `send` throws.
    public func invite(
        _ email: EmailAddress,
        as role: Role,
        by account: Subject,
        in team: TeamID,
        from origin: Origin,
        at now: Timestamp = .now(),
        send: (Issued, borrowing Transaction) async throws -> Void
    ) async throws -> Invitation {
        let token = LinkToken(random: random)
        return try await database.transaction(in: team) { transaction in
            // Of many at once each counts what the one before it has kept.
            try await MembershipStore.hold(team, transaction)
            try await Self.requireRight(of: account, over: role, in: team, transaction)
            if let earlier = try await Self.role(invited: email, in: team, transaction) {
                try await Self.requireRight(of: account, over: earlier, in: team, transaction)
            }
            guard try await MembershipStore.count(in: team, transaction) < Member.limit else {
                throw Failure.teamFull
            }
            let rows = try await transaction.query(
                """
                INSERT INTO invitations AS i (
                    team_id, invitation_id, token_hash, email, role, invited_by, created_at, expires_at
                )
                SELECT \(team), \(drawID()), \(token.hash), \(email), \(role), \(account), \(now),
                    \(now + Invitation.life)
                WHERE (SELECT count(*) FROM invitations WHERE team_id = \(team)) < \(Invitation.limit)
                    OR EXISTS (
                        SELECT FROM invitations
                        WHERE team_id = \(team) AND lower(email) = lower(\(email))
                    )
                ON CONFLICT (team_id, lower(email)) DO UPDATE SET
                    token_hash = excluded.token_hash, email = excluded.email, role = excluded.role,
                    invited_by = excluded.invited_by, created_at = excluded.created_at,
                    expires_at = excluded.expires_at
                RETURNING \(Invitation.columns)
                """
            )
            guard var row = rows.first else { throw Failure.tooMany }
            let issued = Issued(invitation: try Invitation(&row), token: token)
            try await Self.event("invitation.sent", issued.invitation, by: account, from: origin)
                .record(in: team, transaction)
            try await send(issued, transaction)
            return issued.invitation
        }
    }

    /// The team's invitations, the newest first.
    public func list(in team: TeamID) async throws(PostgresFailure) -> [Invitation] {
        let rows = try await database.query(
            """
            SELECT \(Invitation.columns) FROM invitations
            WHERE team_id = \(team) ORDER BY created_at DESC, invitation_id
            """,
            in: team
        )
        return try rows.all(Invitation.init)
    }

    /// One of the team's invitations, or nil.
    public func find(_ id: InvitationID, in team: TeamID) async throws(PostgresFailure) -> Invitation? {
        let rows = try await database.query(
            """
            SELECT \(Invitation.columns) FROM invitations WHERE team_id = \(team) AND invitation_id = \(id)
            """,
            in: team
        )
        return try rows.firstValue(Invitation.init)
    }

    /// Takes an invitation back: its link works no more.
    ///
    /// - Returns: false when there is none, or it was accepted meanwhile.
    /// - Throws: `Failure.notAllowed`, `PostgresFailure`.
    public func withdraw(
        _ id: InvitationID,
        by account: Subject,
        in team: TeamID,
        from origin: Origin
    ) async throws -> Bool {
        try await database.transaction(in: team) { transaction in
            guard let invitation = try await Self.claim(id, in: team, transaction) else { return false }
            try await Self.requireRight(of: account, over: invitation.role, in: team, transaction)
            try await Self.event("invitation.withdrawn", invitation, by: account, from: origin)
                .record(in: team, transaction)
            return true
        }
    }

    /// Removes the invitation and returns it; of many who try at once one gets it.
    private static func claim(
        _ id: InvitationID,
        in team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) -> Invitation? {
        let rows = try await transaction.query(
            """
            DELETE FROM invitations WHERE team_id = \(team) AND invitation_id = \(id)
            RETURNING \(Invitation.columns)
            """
        )
        return try rows.firstValue(Invitation.init)
    }

    /// Uses a link up: removes its invitation and returns it, while the one who sent it may still invite to that role.
    ///
    /// Of many who try at once one gets it. The sender's membership is held before the invitation is, as `MembershipStore` does when it takes a right away.
    static func accept(
        _ token: LinkToken,
        in team: TeamID,
        at now: Timestamp,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) -> Invitation? {
        let open: SQL = "team_id = \(team) AND token_hash = \(token.hash) AND expires_at > \(now)"
        let seen = try await transaction.query("SELECT \(Invitation.columns) FROM invitations WHERE \(open)")
        guard let sent = try seen.firstValue(Invitation.init),
            try await hasRight(sent.invitedBy, over: sent.role, in: team, transaction)
        else { return nil }
        // Sent again meanwhile it is under another link.
        let taken = try await transaction.query(
            "DELETE FROM invitations WHERE \(open) RETURNING \(Invitation.columns)"
        )
        return try taken.firstValue(Invitation.init)
    }

    /// What the address is invited to.
    private static func role(
        invited email: EmailAddress,
        in team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) -> Role? {
        let rows = try await transaction.query(
            "SELECT role FROM invitations WHERE team_id = \(team) AND lower(email) = lower(\(email))"
        )
        guard var row = rows.first else { return nil }
        return try row.next(Role.self)
    }

    /// The role is read anew, since the page may be older than the member's last change.
    static func requireRight(
        of account: Subject,
        over role: Role,
        in team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws {
        guard try await hasRight(account, over: role, in: team, transaction) else { throw Failure.notAllowed }
    }

    /// Whether the member may manage that role now; they keep what they may until the transaction has ended.
    private static func hasRight(
        _ account: Subject,
        over role: Role,
        in team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) -> Bool {
        let rows = try await transaction.query(
            "SELECT role FROM memberships WHERE team_id = \(team) AND sub = \(account) FOR SHARE"
        )
        guard var row = rows.first else { return false }
        return try row.next(Role.self).mayManage(role)
    }

    static func event(
        _ action: String,
        _ invitation: Invitation,
        by account: Subject,
        from origin: Origin
    ) -> AuditEvent {
        AuditEvent(
            action,
            by: .member(account),
            on: AuditEvent.Target("invitation", invitation.id.rawValue),
            from: origin,
            after: ["role": .string(invitation.role.rawValue)]
        )
    }

    private func drawID() -> InvitationID {
        let text = random.text(TenCharacterID.length, from: .identifier)
        guard let id = InvitationID(rawValue: text) else {
            preconditionFailure("the alphabet is that of ids")
        }
        return id
    }
}
