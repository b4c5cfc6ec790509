public import Core
public import Platform
public import Postgres

/// Stores not-befores, the times before which issued tokens are not valid.
///
/// One row ends any number of tokens; the tokens of a single user are revoked by their own rows.
public struct NotBeforeStore: Sendable {
    private let database: TeamDatabase

    public init(_ database: TeamDatabase) { self.database = database }

    /// Ends tokens issued before `moment`; a time earlier than the stored one changes nothing.
    ///
    /// Announce the change of the registry afterwards.
    public func set(
        _ scope: NotBeforeScope, to moment: Timestamp, reason: String, in team: TeamID, by actor: Actor,
        from origin: Origin
    ) async throws(PostgresFailure) {
        let event = AuditEvent(
            "tokens.not_before_set", by: actor, on: scope.target(in: team), from: origin,
            after: ["issuedBefore": .string(moment.description), "reason": .string(reason)])
        let statement: SQL = """
            WITH cut AS (
                INSERT INTO not_befores AS known (team_id, client_id, not_before)
                VALUES (\(team), \(scope.column), \(moment))
                ON CONFLICT (team_id, client_id) DO UPDATE
                SET not_before = greatest(known.not_before, excluded.not_before)
            )
            \(event.insertion(in: team))
            """
        try await database.query(statement.locking(.team(team)), in: team)
    }

    /// The not-befores of the team and of the clients that it has.
    static func selection(of team: TeamID) -> SQL {
        """
        SELECT client_id, not_before FROM not_befores
        WHERE team_id = \(team) AND client_deleted_at IS NULL AND (
            client_id = \(NotBeforeScope.everyClient) OR client_id IN (
                SELECT identifier FROM client_identifiers WHERE team_id = \(team)
            )
        )
        """
    }

    /// The not-befores in effect, newest first.
    public func list(in team: TeamID) async throws(PostgresFailure) -> [NotBefore] {
        let rows = try await database.query(
            """
            SELECT client_id, not_before FROM not_befores
            WHERE team_id = \(team) AND client_deleted_at IS NULL
            ORDER BY not_before DESC, client_id
            LIMIT 100
            """, in: team)
        var records: [NotBefore] = []
        for var row in rows {
            let column: String = try row.next()
            let moment: Timestamp = try row.next()
            guard let scope = NotBeforeScope(column: column) else { continue }
            records.append(NotBefore(scope: scope, moment: moment))
        }
        return records
    }
}

extension NotBeforeScope {
    fileprivate func target(in team: TeamID) -> AuditEvent.Target {
        switch self {
        case .team: AuditEvent.Target("team", team.rawValue)
        case .client(let id): .client(id)
        }
    }
}

/// The clients whose tokens a not-before applies to.
public enum NotBeforeScope: Hashable, Sendable {
    /// Every client of the team.
    case team
    /// One Service ID or App ID.
    case client(ClientID)

    /// The value that stands for all clients of a team; no client identifier contains an asterisk.
    static let everyClient = "*"

    /// The value of `client_id` in the table.
    var column: String {
        switch self {
        case .team: Self.everyClient
        case .client(let id): id.rawValue
        }
    }

    init?(column: String) {
        if column == Self.everyClient {
            self = .team
        } else if let client = ClientID(rawValue: column) {
            self = .client(client)
        } else {
            return nil
        }
    }
}

/// A time before which issued tokens are not valid, like the `nbf` policies of other servers.
public struct NotBefore: Sendable {
    public let scope: NotBeforeScope
    /// Tokens issued earlier are rejected.
    public let moment: Timestamp
}
