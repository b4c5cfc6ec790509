import Core
import Crypto
import EventLoop
public import Platform
public import Postgres
import Registry

/// Reads a team's snapshot, in one transaction and one round trip.
///
/// The version of the registry is read before and after the rest: if it is the same, nothing was committed in between.
struct TeamSnapshotStore: Sendable {
    /// Most octets of registrations that are read on a loop, which takes some ms; a dozen results without rows are a few
    /// KiB.
    private static let most = 64 << 10
    /// Most attempts to read the registry between two changes.
    private static let attempts = 10

    let database: TeamDatabase
    let keyRing: KeyRing
    /// The thread pool that reads large registries, so that other teams do not wait.
    var pool: BlockingPool?

    /// The team's snapshot, or nil when the team does not exist or is deleted.
    ///
    /// - Throws: `PostgresFailure.overloaded` if the registry changes all the time.
    func load(_ team: TeamID) async throws -> TeamSnapshot? {
        for _ in 0..<Self.attempts {
            let rows = try await database.queryEach(Self.statements(of: team), in: team)
            let (before, after): (Int?, Int?) = (try rows.first?.firstValue(), try rows.last?.firstValue())
            guard before == after else { continue }
            let size = rows.reduce(0) { $0 + $1.octets }
            return try await offLoop(size, of: team) { try snapshot(of: team, before ?? 0, rows.dropFirst()) }
        }
        throw PostgresFailure.overloaded
    }

    /// The version of the team's registry, which every change increments.
    func version(of team: TeamID) async throws(PostgresFailure) -> Int {
        try await database.query(Self.version(of: team), in: team).firstValue() ?? 0
    }

    private static func version(of team: TeamID) -> SQL {
        "SELECT version FROM registry_versions WHERE team_id = \(team)"
    }

    /// The order in which `snapshot` reads their rows.
    private static func statements(of team: TeamID) -> [SQL] {
        [
            version(of: team), Team.selection(of: team), TeamLogoStore.digest(of: team), AppID.selection(of: team),
            ServiceID.selection(of: team), DomainStore.proofs(in: team), Key.active(in: team),
            SigningKeyStore.selection(of: team), NotBeforeStore.selection(of: team), transfers(of: team),
            AppleKeyStore.connected(in: team), version(of: team),
        ]
    }

    private func snapshot(of id: TeamID, _ version: Int, _ rows: ArraySlice<Rows>) throws -> TeamSnapshot? {
        var rows = rows
        func next() throws(PostgresFailure) -> Rows {
            guard let next = rows.popFirst() else { throw .unavailable("no answer") }
            return next
        }
        guard let team = try next().firstValue(Team.init) else { return nil }
        let logoDigest: String? = try next().firstValue()
        let apps = try next().all(AppID.init)
        let services = try next().all(ServiceID.init)
        let verified: [DomainName] = try next().column().map(DomainName.init(stored:))
        let keys = try next().all(Key.init)
        let signingKeys = try SigningKeyStore(database: database, keyRing: keyRing).keys(of: id, try next())
        let notBefores = try next().all { (row: inout Row) throws(PostgresFailure) in
            (try row.next(String.self), try row.next(Timestamp.self))
        }
        let transfers = try TransferWindows(try next(), of: id)
        let groups = Dictionary(grouping: apps, by: \.primaryAppID)
        let registrations = try next().all { (row: inout Row) throws(PostgresFailure) in
            try AppleRegistration(&row, of: id, groups, AppleKeyStore(database, keyRing: keyRing))
        }
        return TeamSnapshot(
            team, logoDigest: logoDigest, version: version, apps: apps, services: services, verified: verified,
            keys: keys, signingKeys: signingKeys, accessTokens: AccessToken.authentication(of: id, keyRing: keyRing),
            notBefores: Dictionary(uniqueKeysWithValues: notBefores), transfers: transfers,
            appleRegistrations: registrations.compactMap(\.self))
    }

    /// The accepted transfers within their window: of each App ID the last one in each direction.
    static func transfers(of team: TeamID) -> SQL {
        """
        SELECT moves.app_id, moves.team_id, moves.target_team, moves.settled_at
        FROM app_ids CROSS JOIN LATERAL (
            (
                SELECT app_id, team_id, target_team, settled_at FROM app_transfers
                WHERE team_id = \(team) AND app_id = identifier AND state = 'accepted'
                    AND settled_at > now() - interval '60 days'
                ORDER BY settled_at DESC LIMIT 1
            )
            UNION ALL
            (
                SELECT app_id, team_id, target_team, settled_at FROM app_transfers
                WHERE target_team = \(team) AND app_id = identifier AND state = 'accepted'
                    AND settled_at > now() - interval '60 days'
                ORDER BY settled_at DESC LIMIT 1
            )
        ) AS moves
        WHERE app_ids.team_id = \(team)
        """
    }

    /// Reads large registries in the pool, small ones on the loop, because that takes less time than the hand-over.
    private func offLoop<Value: Sendable>(_ size: Int, of team: TeamID, _ body: @escaping @Sendable () throws -> Value)
        async throws -> Value
    {
        guard let pool, size > Self.most else { return try body() }
        do { return try await pool.run(for: team.rawValue, body) } catch is BlockingPool.Full { return try body() }
    }
}

/// Lists all teams, for periodic work on each of them.
public struct TeamEnumerationStore: Sendable {
    private let database: SystemDatabase

    public init(_ database: SystemDatabase) { self.database = database }

    /// The teams in the order of their ids; the system team is left out, because it has no apps.
    public func list() async throws(PostgresFailure) -> [TeamID] {
        let rows = try await database.query(
            "SELECT team_id FROM teams WHERE deleted_at IS NULL AND NOT is_system ORDER BY team_id")
        return try rows.column()
    }
}
