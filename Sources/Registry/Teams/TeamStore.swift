public import Core
public import Crypto
public import Platform
public import Postgres

/// Creates, reads and changes one team at a time, each isolated by row-level security.
public struct TeamStore: Sendable {
    /// Why a team was not created.
    public enum Failure: Error, Equatable, Sendable {
        /// The id belongs to a team, or belonged to one.
        case idTaken
        /// The owner is not a console account.
        case unknownOwner
    }

    /// Result of a change.
    public enum Update: Sendable {
        case updated(Team)
        /// The team was changed meanwhile; the value is its current state.
        case conflict(Team)
        case notFound
    }

    /// Ids drawn at most per team; 36^10 ids make even one repetition unlikely.
    private static let draws = 3

    let database: TeamDatabase
    private let random: RandomSource

    public init(_ database: TeamDatabase, random: RandomSource = .system) {
        self.database = database
        self.random = random
    }

    /// Creates a team with its owner in one transaction, under the new team's own setting.
    ///
    /// - Parameters:
    ///   - id: drawn at random when nil.
    ///   - owner: a user of the system team; nil for a team that is administered only by `apply`.
    /// - Throws: `Failure`, `PostgresFailure`.
    public func create(
        _ settings: TeamSettings, as id: TeamID? = nil, owner: Subject?, by actor: Actor, from origin: Origin
    ) async throws -> TeamID {
        if let id {
            try await insert(settings, as: id, owner: owner, by: actor, from: origin)
            return id
        }
        for _ in 1..<Self.draws {
            let id = drawID()
            do {
                try await insert(settings, as: id, owner: owner, by: actor, from: origin)
                return id
            } catch Failure.idTaken { continue }
        }
        let id = drawID()
        try await insert(settings, as: id, owner: owner, by: actor, from: origin)
        return id
    }

    /// Creates a team in the caller's transaction, which must be under that team's setting.
    ///
    /// - Throws: `Failure`, `PostgresFailure`.
    public static func create(
        _ settings: TeamSettings, as id: TeamID, owner: Subject?, by actor: Actor, from origin: Origin,
        _ transaction: borrowing Transaction
    ) async throws {
        let added = try await transaction.query(
            """
            INSERT INTO teams (team_id, name, mode, identity_sources, second_factor)
            VALUES (
                \(id), \(settings.name), \(settings.mode), \(settings.identitySources.map(\.rawValue)),
                \(settings.secondFactor)
            )
            ON CONFLICT (team_id) DO NOTHING
            """)
        guard added.changed == 1 else { throw Failure.idTaken }
        try await AuditEvent("team.created", by: actor, on: .team(id), from: origin, after: .object(settings.json))
            .record(in: id, transaction)
        guard let owner else { return }
        do {
            try await MembershipStore.add(owner, as: .owner, to: id, by: actor, from: origin, transaction)
        } catch MembershipStore.Failure.unknownAccount { throw Failure.unknownOwner }
    }

    /// Returns the team, or nil when there is none or it was deleted.
    public func find(_ id: TeamID) async throws(PostgresFailure) -> Team? {
        let rows = try await database.query(Self.selection(of: id), in: id)
        return try rows.firstValue(Team.init)
    }

    func drawID() -> TeamID {
        let text = random.text(TenCharacterID.length, from: .identifier)
        guard let id = TeamID(rawValue: text) else { preconditionFailure("the alphabet is that of team ids") }
        return id
    }

    private func insert(_ settings: TeamSettings, as id: TeamID, owner: Subject?, by actor: Actor, from origin: Origin)
        async throws
    {
        try await database.transaction(in: id) { transaction in
            try await Self.create(settings, as: id, owner: owner, by: actor, from: origin, transaction)
        }
    }

    static func selection(of id: TeamID) -> SQL {
        "SELECT \(Team.columns) FROM teams t WHERE t.team_id = \(id) AND t.deleted_at IS NULL"
    }
}

extension AuditEvent.Target {
    static func team(_ id: TeamID) -> AuditEvent.Target { AuditEvent.Target("team", id.rawValue) }
}

// Changing and deleting a team.
extension TeamStore {
    /// How long a deletion can be cancelled.
    public static let gracePeriod = Duration.seconds(7 * 86_400)

    /// Changes a team that still has the version the caller has read; the event has only members that differ.
    ///
    /// - Throws: `PostgresFailure`.
    public func update(
        _ id: TeamID, to configuration: TeamConfiguration, version: Int, by actor: Actor, from origin: Origin
    ) async throws -> Update {
        try await save(id, configuration.assignments, version: version) { team in
            let (before, after) = configuration.difference(from: team.configuration)
            return AuditEvent("team.updated", by: actor, on: .team(id), from: origin, before: before, after: after)
        }
    }

    /// Schedules the deletion of the team for the end of the grace period; until then nothing changes.
    ///
    /// Returns a conflict when the team is already closed.
    ///
    /// - Throws: `PostgresFailure`.
    public func requestDeletion(
        of id: TeamID, reason: String, version: Int, by actor: Actor, from origin: Origin, at now: Timestamp
    ) async throws -> Update {
        let due = now + Self.gracePeriod
        return try await save(id, "deletion_due_at = \(due)", version: version, whileOpen: true) { _ in
            let after: JSONValue = ["reason": .string(reason), "dueAt": .string(due.description)]
            return AuditEvent("team.deletion_requested", by: actor, on: .team(id), from: origin, after: after)
        }
    }

    /// Cancels a deletion; returns a conflict once the team is closed.
    ///
    /// - Throws: `PostgresFailure`.
    public func cancelDeletion(of id: TeamID, by actor: Actor, from origin: Origin) async throws -> Update {
        try await save(id, "deletion_due_at = NULL", version: nil, whileOpen: true) { _ in
            AuditEvent("team.deletion_cancelled", by: actor, on: .team(id), from: origin)
        }
    }

    /// Changes the row and records the event, unless the team was changed meanwhile.
    ///
    /// - Parameters:
    ///   - version: nil when the change does not depend on what the caller has read.
    ///   - whileOpen: whether a closed team is a conflict.
    private func save(
        _ id: TeamID, _ assignments: SQL, version: Int?, whileOpen: Bool = false, _ event: (Team) -> AuditEvent
    ) async throws -> Update {
        try await database.transaction(in: id) { transaction in
            let found = try await transaction.query("\(Self.selection(of: id)) FOR NO KEY UPDATE")
            guard var row = found.first else { return .notFound }
            let before = try Team(&row)
            guard version == nil || before.version == version, !whileOpen || before.closedAt == nil else {
                return .conflict(before)
            }
            let changed = try await transaction.query(
                """
                UPDATE teams t SET \(assignments), version = version + 1 WHERE t.team_id = \(id)
                RETURNING \(Team.columns)
                """)
            guard var row = changed.first else { return .notFound }
            try await event(before).record(in: id, transaction)
            return .updated(try Team(&row))
        }
    }

    /// Statement that replaces a team's settings as a registry file has them.
    public static func update(_ team: TeamID, to settings: TeamSettings) -> SQL {
        """
        UPDATE teams
        SET name = \(settings.name), mode = \(settings.mode),
            identity_sources = \(settings.identitySources.map(\.rawValue)), second_factor = \(settings.secondFactor),
            version = version + 1
        WHERE team_id = \(team)
        """
    }
}
