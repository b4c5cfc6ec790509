import Crypto
import EventLoop
public import Platform
public import Postgres
import Registry

/// Reads a team's snapshot: registrations in one statement, so that they are consistent; signing keys, on which no
/// registration depends, in another.
struct TeamSnapshotStore: Sendable {
    let database: TeamDatabase
    let keyRing: KeyRing
    /// The thread pool that parses large registries, so that other teams do not wait.
    var pool: BlockingPool?

    /// The team's snapshot, or nil when the team does not exist or is deleted.
    func load(_ team: TeamID) async throws -> TeamSnapshot? {
        let rows = try await database.query(Self.selection(of: team), in: team)
        guard var row = rows.first else { return nil }
        let record = try TeamRecord(&row)
        let signingKeys = try await SigningKeyStore(database: database, keyRing: keyRing).list(in: team)
        let accessTokens = AccessToken.authentication(of: team, keyRing: keyRing)
        let appleKeys = AppleKeyStore(database, keyRing: keyRing)
        return try await offLoop(record, of: team) {
            try record.snapshot(of: team, signingKeys: signingKeys, accessTokens: accessTokens, appleKeys: appleKeys)
        }
    }

    /// The version of the team's registry, which every change increments.
    func version(of team: TeamID) async throws(PostgresFailure) -> Int {
        let rows = try await database.query("SELECT version FROM registry_versions WHERE team_id = \(team)", in: team)
        return try rows.firstValue { (row: inout Row) throws(PostgresFailure) in try row.next(Int.self) } ?? 0
    }

    /// Selects the current registrations.
    ///
    /// Revoked keys, not-befores of deleted clients, and transfers not accepted or past their window are left out. Of
    /// an App ID's transfers only the last one in each direction is read.
    static func selection(of team: TeamID) -> SQL {
        """
        SELECT name, mode = 'sandbox', closed_at IS NOT NULL, accent_colour, privacy_url, terms_url,
            (SELECT digest FROM team_logos WHERE team_id = \(team)), registration, identity_sources,
            second_factor, apple_keys,
            coalesce((SELECT version FROM registry_versions WHERE team_id = \(team)), 0),
            (SELECT coalesce(json_agg(json_build_object(
                'id', identifier, 'enabled', is_enabled, 'issuer', issuer,
                'group', coalesce(primary_identifier, identifier), 'description', description
            )), '[]')::text FROM app_ids WHERE team_id = \(team)),
            (SELECT coalesce(json_agg(json_build_object(
                'id', identifier, 'app', app_id, 'description', description, 'issuer', issuer,
                'booleans', booleans, 'pkce', requires_pkce,
                'urls', (SELECT coalesce(json_agg(url ORDER BY rank), '[]') FROM return_urls
                    WHERE team_id = \(team) AND service_id = identifier),
                'verified', CASE WHEN requires_verified_domains THEN (
                    SELECT coalesce(json_agg(d.domain), '[]')
                    FROM service_domains s JOIN domains d ON d.team_id = s.team_id AND d.domain = s.domain
                    WHERE s.team_id = \(team) AND s.service_id = identifier AND d.is_verified
                ) END
            )), '[]')::text FROM service_ids WHERE team_id = \(team)),
            (SELECT coalesce(json_agg(json_build_object(
                'id', key_id, 'app', app_id, 'pem', public_key_pem
            )), '[]')::text FROM keys WHERE team_id = \(team) AND rank IS NOT NULL),
            id_token_seconds,
            (SELECT coalesce(json_agg(json_build_object(
                'client', client_id, 'at', (extract(epoch FROM not_before) * 1000000)::bigint
            )), '[]')::text FROM not_befores
                WHERE team_id = \(team) AND client_deleted_at IS NULL AND (
                    client_id = \(NotBeforeScope.everyClient) OR client_id IN (
                        SELECT identifier FROM client_identifiers WHERE team_id = \(team)
                    )
                )),
            (SELECT coalesce(json_agg(json_build_object(
                'app', moves.app_id, 'from', moves.team_id, 'to', moves.target_team,
                'at', (extract(epoch FROM moves.settled_at) * 1000000)::bigint
            )), '[]')::text FROM app_ids CROSS JOIN LATERAL (
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
            ) AS moves WHERE app_ids.team_id = \(team)),
            (SELECT coalesce(json_agg(json_build_object(
                'app', c.app_id, 'services', c.services_id, 'team', k.apple_team_id, 'key', c.key_id,
                'sealed', encode(k.private_key_sealed, 'hex')
            )), '[]')::text
                FROM apple_connections c JOIN apple_keys k ON k.team_id = c.team_id AND k.key_id = c.key_id
                WHERE c.team_id = \(team))
        FROM teams
        WHERE team_id = \(team) AND deleted_at IS NULL
        """
    }

    /// Parses large registries in the pool, small ones on the loop, because that takes less time than the hand-over.
    private func offLoop<Value: Sendable>(
        _ record: TeamRecord, of team: TeamID, _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        guard let pool, record.size > TeamRecord.smallSize else { return try body() }
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
