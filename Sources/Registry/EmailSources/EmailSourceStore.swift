import Bytes
public import Domain
public import Postgres

/// The e-mail sources of each team.
///
/// Every change is one transaction with its audit event; the variants that take a transaction are part of a larger
/// one. They throw `Refusal` when a rule of the team stands against the change, else `PostgresFailure`.
public struct EmailSourceStore: Sendable {
    private let database: TeamDatabase

    public init(_ database: TeamDatabase) {
        self.database = database
    }

    /// All of them in alphabetical order: there are at most a hundred.
    public func list(in team: TeamID) async throws(PostgresFailure) -> [RegisteredEmailSource] {
        try await database.query(Self.selection(team), in: team).all(RegisteredEmailSource.init)
    }

    public func create(_ source: EmailSource, in team: TeamID, by actor: Actor, from origin: Origin)
        async throws
    {
        try await database.transaction(in: team) { transaction in
            try await create(source, in: team, by: actor, from: origin, transaction)
        }
    }

    /// - Returns: whether the team had the source.
    public func delete(_ source: EmailSource, in team: TeamID, by actor: Actor, from origin: Origin)
        async throws -> Bool
    {
        try await database.transaction(in: team) { transaction in
            try await delete(source, in: team, by: actor, from: origin, transaction)
        }
    }
}

// As part of the caller's transaction.
extension EmailSourceStore {
    public func all(
        in team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) -> [RegisteredEmailSource] {
        try await transaction.query(Self.selection(team)).all(RegisteredEmailSource.init)
    }

    /// Inserts into the lowest free of the slots, again when another transaction was faster to take it.
    public func create(
        _ source: EmailSource,
        in team: TeamID,
        by actor: Actor,
        from origin: Origin,
        _ transaction: borrowing Transaction
    ) async throws {
        for _ in 0...Limit.emailSources.count {
            let rows = try await transaction.query(Self.insertion(of: source, in: team))
            var row = try rows.only { (row: inout Row) throws(PostgresFailure) in row }
            let isTaken: Bool = try row.next()
            if isTaken { throw Refusal.sourceTaken(source.text) }
            let isFull: Bool = try row.next()
            if isFull { throw Refusal.limitReached(.emailSources, of: team.rawValue) }
            let isInserted: Bool = try row.next()
            guard isInserted else { continue }
            let change = AuditedChange(
                "email_source.created",
                "email_source",
                source.text,
                to: source.auditedMembers
            )
            return try await change.record(in: team, by: actor, from: origin, transaction)
        }
        throw PostgresFailure.overloaded
    }

    public func delete(
        _ source: EmailSource,
        in team: TeamID,
        by actor: Actor,
        from origin: Origin,
        _ transaction: borrowing Transaction
    ) async throws -> Bool {
        let deleted = try await transaction.query(
            """
            DELETE FROM email_sources WHERE team_id = \(team) AND source = \(source.text)
            """
        )
        guard deleted.changed == 1 else { return false }
        let change = AuditedChange(
            "email_source.deleted",
            "email_source",
            source.text,
            from: source.auditedMembers
        )
        try await change.record(in: team, by: actor, from: origin, transaction)
        return true
    }

    private static func selection(_ team: TeamID) -> SQL {
        """
        SELECT kind, source, created_at FROM email_sources WHERE team_id = \(team) ORDER BY source
        """
    }

    private static func insertion(of source: EmailSource, in team: TeamID) -> SQL {
        """
        WITH free AS (
            SELECT min(candidate.slot) AS slot
            FROM generate_series(1, \(Limit.emailSources.count)) AS candidate (slot)
            WHERE NOT EXISTS (
                SELECT FROM email_sources AS taken
                WHERE taken.team_id = \(team) AND taken.slot = candidate.slot
            )
        ), inserted AS (
            INSERT INTO email_sources (team_id, source, kind, slot)
            SELECT \(team), \(source.text), \(source.kind), free.slot FROM free WHERE free.slot IS NOT NULL
            ON CONFLICT DO NOTHING
            RETURNING slot
        )
        SELECT
            EXISTS (SELECT FROM email_sources WHERE team_id = \(team) AND source = \(source.text)),
            free.slot IS NULL,
            EXISTS (SELECT FROM inserted)
        FROM free
        """
    }
}

extension EmailSource {
    fileprivate var auditedMembers: AuditedMembers { ["kind": .string(kind.rawValue)] }
}
