import Core
public import Platform
public import Postgres

/// The email sources of each team.
///
/// Every change runs with its audit event in the caller's transaction; it throws `ValidationError` when it breaks a
/// registry rule, else `PostgresFailure`.
public struct EmailSourceStore: Sendable {
    let database: TeamDatabase

    public init(_ database: TeamDatabase) { self.database = database }

    /// All sources of the team in alphabetical order, at most a hundred; their records have a state, but no texts.
    public func list(in team: TeamID) async throws(PostgresFailure) -> [RegisteredEmailSource] {
        try await database.query(Self.selection(team), in: team).all(RegisteredEmailSource.init)
    }

    public func find(_ source: String, in team: TeamID) async throws(PostgresFailure) -> RegisteredEmailSource? {
        let rows = try await database.query(
            "SELECT \(Self.columns) FROM email_sources AS e WHERE e.team_id = \(team) AND e.source = \(source)",
            in: team)
        return try rows.firstValue(RegisteredEmailSource.init)
    }

    /// Takes sources whose next check is due, longest overdue first.
    ///
    /// Their next check moves to 10 minutes later, so that no other process takes them until `note` sets it.
    public func takeDue(limit: Int, in team: TeamID) async throws(PostgresFailure) -> [RegisteredEmailSource] {
        let rows = try await database.query(
            """
            UPDATE email_sources AS e SET check_due_at = now() + interval '10 minutes'
            WHERE e.team_id = \(team) AND e.source IN (
                SELECT q.source FROM email_sources AS q
                WHERE q.team_id = \(team) AND q.check_due_at <= now()
                ORDER BY q.check_due_at LIMIT \(limit)
                FOR UPDATE SKIP LOCKED
            )
            RETURNING \(Self.listed)
            """, in: team)
        return try rows.all(RegisteredEmailSource.init)
    }

    /// Stores the records found by a check; without an audit event, because no setting changes.
    ///
    /// - Returns: the updated source, or nil when the team no longer has it.
    public func note(_ records: [MailRecord], of source: EmailSource, in team: TeamID) async throws(PostgresFailure)
        -> RegisteredEmailSource?
    {
        let json = String(decoding: JSON.encode(records), as: UTF8.self)
        let rows = try await database.query(
            """
            UPDATE email_sources AS e
            SET records = \(json)::jsonb, checked_at = now(), check_due_at = now() + interval '1 day'
            WHERE e.team_id = \(team) AND e.source = \(source.text)
            RETURNING \(Self.columns)
            """, in: team)
        return try rows.firstValue(RegisteredEmailSource.init)
    }

    /// All sources of the team, as `list` returns them.
    public func all(in team: TeamID, _ transaction: borrowing Transaction) async throws(PostgresFailure)
        -> [RegisteredEmailSource]
    { try await transaction.query(Self.selection(team)).all(RegisteredEmailSource.init) }

    @discardableResult public func create(_ draft: EmailSource.Draft, _ change: borrowing Change) async throws
        -> RegisteredEmailSource
    {
        let source = draft.source
        try await change.lockTeam()
        let added = try await change.query(
            """
            INSERT INTO email_sources (team_id, source, kind, rank, dkim_selectors)
            SELECT \(change.team), \(source.text), \(source.kind), rank, \(draft.settings.selectors.map(\.text))
            FROM \(Quota.emailSources.freeRank(beside: "email_sources WHERE team_id = \(change.team)"))
            ON CONFLICT (team_id, source) DO NOTHING
            """)
        let stored = try await change.query(Self.selection(source, change.team)).firstValue(RegisteredEmailSource.init)
        guard let stored else { throw ValidationError.limitReached(.emailSources, of: change.team.rawValue) }
        guard added.changed == 1 else { throw ValidationError.sourceTaken(source.text) }
        try await change.record("email_source.created", .emailSource(source), to: draft.auditedMembers)
        return stored
    }

    /// Replaces the email source of the draft's name.
    ///
    /// - Parameter version: the version the change is based on, or nil to replace any version.
    public func update(to draft: EmailSource.Draft, version: Int?, _ change: borrowing Change) async throws -> Update<
        RegisteredEmailSource
    > {
        let known = try await change.query("\(Self.selection(draft.source, change.team)) FOR UPDATE")
        guard let current = try known.firstValue(RegisteredEmailSource.init) else { return .notFound }
        if let version, version != current.version { return .conflict(current: current) }
        if draft == current.draft { return .saved(current) }
        let rows = try await change.query(
            """
            UPDATE email_sources AS e
            SET dkim_selectors = \(draft.settings.selectors.map(\.text)), version = e.version + 1, check_due_at = now()
            WHERE e.team_id = \(change.team) AND e.source = \(draft.source.text)
            RETURNING \(Self.columns)
            """)
        try await change.record(
            "email_source.updated", .emailSource(draft.source), from: current.settings.typed, to: draft.settings.typed)
        return .saved(try rows.only(RegisteredEmailSource.init))
    }

    /// - Parameter reason: the user's reason; nil when a registry file omits the source.
    /// - Returns: whether the team had the source.
    public func delete(_ source: EmailSource, reason: String?, _ change: borrowing Change) async throws -> Bool {
        let deleted = try await change.query(
            """
            DELETE FROM email_sources AS e WHERE e.team_id = \(change.team) AND e.source = \(source.text)
            RETURNING \(Self.columns)
            """)
        guard let gone = try deleted.firstValue(RegisteredEmailSource.init) else { return false }
        try await change.record(
            "email_source.deleted", .emailSource(source), from: gone.draft.auditedMembers,
            to: reason.map(AuditedMembers.reason) ?? [:])
        return true
    }

    private static let columns: SQL = """
        e.kind, e.source, e.dkim_selectors, e.version, e.created_at, e.checked_at, e.records::text
        """

    /// `columns` without the texts found in the DNS, because a hundred sources have many.
    private static let listed: SQL = """
        e.kind, e.source, e.dkim_selectors, e.version, e.created_at, e.checked_at, (
            SELECT coalesce(
                jsonb_agg(
                    jsonb_build_object(
                        'kind', record -> 'kind', 'name', record -> 'name', 'state', record -> 'state', 'seen', '[]'::jsonb
                    )
                ),
                '[]'
            )::text
            FROM jsonb_array_elements(e.records) AS record
        )
        """

    private static func selection(_ source: EmailSource, _ team: TeamID) -> SQL {
        """
        SELECT \(columns) FROM email_sources AS e WHERE e.team_id = \(team) AND e.source = \(source.text)
        """
    }

    private static func selection(_ team: TeamID) -> SQL {
        """
        SELECT \(listed) FROM email_sources AS e WHERE e.team_id = \(team) ORDER BY e.source
        """
    }
}
