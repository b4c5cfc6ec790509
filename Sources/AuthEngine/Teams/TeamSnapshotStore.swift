import Bytes
import Crypto
import Domain
import Postgres
import Registry
import Tenancy

/// Reads a team's snapshot: what is registered in one statement, so that all of it is of one moment; the signing keys, which
/// no registration depends on, in another.
struct TeamSnapshotStore: Sendable {
    let database: TeamDatabase
    let keyRing: KeyRing

    /// The team, or nil when there is none, or it is deleted.
    func load(_ team: TeamID) async throws -> TeamSnapshot? {
        let rows = try await database.query(
            """
            SELECT name, mode = 'sandbox', closed_at IS NOT NULL, accent_colour, privacy_url, terms_url,
                (SELECT digest FROM team_logos WHERE team_id = \(team)), registration, identity_sources,
                second_factor,
                coalesce((SELECT version FROM registry_versions WHERE team_id = \(team)), 0),
                (SELECT coalesce(json_agg(json_build_object(
                    'id', identifier, 'enabled', is_enabled,
                    'group', coalesce(primary_identifier, identifier), 'description', description
                )), '[]')::text FROM app_ids WHERE team_id = \(team)),
                (SELECT coalesce(json_agg(json_build_object(
                    'id', identifier, 'app', app_id, 'description', description, 'issuer', issuer,
                    'booleans', booleans, 'pkce', requires_pkce,
                    'urls', (SELECT coalesce(json_agg(url ORDER BY slot), '[]') FROM return_urls
                        WHERE team_id = \(team) AND service_id = identifier),
                    'verified', CASE WHEN requires_verified_domains THEN (
                        SELECT coalesce(json_agg(d.domain), '[]')
                        FROM service_domains s JOIN domains d ON d.team_id = s.team_id AND d.domain = s.domain
                        WHERE s.team_id = \(team) AND s.service_id = identifier AND d.is_verified
                    ) END
                )), '[]')::text FROM service_ids WHERE team_id = \(team)),
                (SELECT coalesce(json_agg(json_build_object(
                    'id', key_id, 'app', app_id, 'pem', public_key_pem
                )), '[]')::text FROM keys WHERE team_id = \(team) AND revoked_at IS NULL),
                id_token_seconds,
                (SELECT coalesce(json_agg(json_build_object(
                    'client', client_id, 'at', (extract(epoch FROM not_before) * 1000000)::bigint
                )), '[]')::text FROM token_cutoffs WHERE team_id = \(team)),
                (SELECT coalesce(json_agg(json_build_object(
                    'app', app_id, 'from', team_id, 'to', target_team,
                    'at', (extract(epoch FROM settled_at) * 1000000)::bigint
                )), '[]')::text FROM app_transfers
                    WHERE (team_id = \(team) OR target_team = \(team)) AND state = 'accepted'
                        AND settled_at > now() - interval '60 days'),
                (SELECT coalesce(json_agg(json_build_object(
                    'app', c.app_id, 'services', c.services_id, 'team', k.apple_team_id, 'key', c.key_id,
                    'sealed', encode(k.private_key_sealed, 'hex')
                )), '[]')::text
                    FROM apple_connections c JOIN apple_keys k ON k.team_id = c.team_id AND k.key_id = c.key_id
                    WHERE c.team_id = \(team))
            FROM teams
            WHERE team_id = \(team) AND deleted_at IS NULL
            """,
            in: team
        )
        guard var row = rows.first else { return nil }
        return try await snapshot(of: team, &row)
    }

    private func snapshot(of team: TeamID, _ row: inout Row) async throws -> TeamSnapshot {
        let name: String = try row.next()
        let isSandbox: Bool = try row.next()
        let isClosed: Bool = try row.next()
        let branding = Branding(
            accent: try row.next(),
            privacyURL: try row.next(),
            termsURL: try row.next()
        )
        let logoDigest: String? = try row.next()
        let registration: Registration = try row.next()
        let sources = try row.next([String].self).compactMap(IdentitySource.init)
        let secondFactor: SecondFactor = try row.next()
        let version: Int = try row.next()
        let apps = try Self.decode([AppRecord].self, try row.next())
        let services = try Self.decode([ServiceRecord].self, try row.next())
        let keys = try Self.decode([KeyRecord].self, try row.next())
        let idTokenSeconds: Int = try row.next()
        let cutoffs = try Self.decode([CutoffRecord].self, try row.next())
        let transfers = try Self.decode([TransferRecord].self, try row.next())
        let connections = try Self.decode([ConnectionRecord].self, try row.next())
        let appTable = Self.table(apps) { record in
            ClientID(rawValue: record.group).map {
                TeamSnapshot.App(isEnabled: record.enabled, group: $0, description: record.description)
            }
        }
        return TeamSnapshot(
            id: team,
            name: name,
            isSandbox: isSandbox,
            isClosed: isClosed,
            branding: branding,
            logoDigest: logoDigest,
            registration: registration,
            identitySources: sources,
            secondFactor: secondFactor,
            version: version,
            apps: appTable,
            services: Self.table(services, \.service),
            keys: Self.keyTable(keys, apps: appTable),
            signingKeys: try await SigningKeyStore(database: database, keyRing: keyRing).list(in: team),
            accessTokens: AccessToken.authentication(of: team, keyRing: keyRing),
            tokenRules: TokenRules(
                idTokenLife: .seconds(idTokenSeconds),
                cutoffs: Dictionary(cutoffs.map { ($0.client, Timestamp(microseconds: $0.at)) }) {
                    max($0, $1)
                }
            ),
            transfers: TransferWindows(transfers, of: team),
            appleRegistrations: registrations(connections, of: team, apps: appTable)
        )
    }

    /// A key that does not open is left out: its connection serves nobody, and the console's test says why.
    private func registrations(
        _ records: [ConnectionRecord],
        of team: TeamID,
        apps: [ClientID: TeamSnapshot.App]
    ) -> [ClientID: AppleRegistration] {
        let keys = AppleKeyStore(database, keyRing: keyRing)
        let groups = apps.map { (app: $0.key, group: $0.value.group) }
        var table: [ClientID: AppleRegistration] = [:]
        for record in records {
            guard let app = ClientID(rawValue: record.app),
                let services = ClientID(rawValue: record.services),
                let appleTeam = AppleTeamID(rawValue: record.team), let id = KeyID(rawValue: record.key),
                let sealed = Hex.decode(record.sealed), let key = keys.open(sealed, as: id, in: team)
            else { continue }
            table[app] = AppleRegistration(
                appID: app,
                teamID: appleTeam,
                servicesID: services,
                bundleIDs: Set(AppleConnection.bundleIDs(of: app, among: groups)),
                keyID: id,
                key: key
            )
        }
        return table
    }

    private static func keyTable(
        _ records: [KeyRecord],
        apps: [ClientID: TeamSnapshot.App]
    ) -> [KeyID: TeamSnapshot.IssuedKey] {
        var table: [KeyID: TeamSnapshot.IssuedKey] = [:]
        for record in records {
            guard let id = KeyID(rawValue: record.id), let app = ClientID(rawValue: record.app),
                let group = apps[app]?.group, let publicKey = try? P256PublicKey(pem: record.pem)
            else { continue }
            table[id] = TeamSnapshot.IssuedKey(group: group, publicKey: publicKey)
        }
        return table
    }

    private static func table<Record: IdentifiedRecord, Value>(
        _ records: [Record],
        _ value: (Record) -> Value?
    ) -> [ClientID: Value] {
        var table: [ClientID: Value] = [:]
        for record in records {
            if let id = ClientID(rawValue: record.id) { table[id] = value(record) }
        }
        return table
    }

    private static func decode<Value: Decodable>(
        _ type: Value.Type,
        _ text: String
    ) throws(JSON.Failure) -> Value {
        try JSON.decode(type, from: Array(text.utf8))
    }
}

private protocol IdentifiedRecord: Decodable {
    var id: String { get }
}

private struct AppRecord: IdentifiedRecord {
    let id: String
    let enabled: Bool
    let group: String
    let description: String
}

private struct ServiceRecord: IdentifiedRecord {
    let id: String
    let app: String
    let description: String
    let issuer: String
    let booleans: String
    let pkce: Bool
    let urls: [String]
    /// Nil in a team that asks for no proof of its domains.
    let verified: [String]?

    var service: TeamSnapshot.Service? {
        ClientID(rawValue: app).map { app in
            TeamSnapshot.Service(
                app: app,
                description: description,
                issuesAsApple: issuer == "apple",
                writesStrings: booleans == "string",
                requiresPKCE: pkce,
                returnURLs: urls,
                unprovenURLs: verified.map { ReturnURL.unproven(urls, verified: $0) } ?? []
            )
        }
    }
}

private struct KeyRecord: Decodable {
    let id: String
    let app: String
    let pem: String
}

private struct CutoffRecord: Decodable {
    let client: String
    let at: Int64
}

private struct ConnectionRecord: Decodable {
    let app: String
    let services: String
    let team: String
    let key: String
    let sealed: String
}

private struct TransferRecord: Decodable {
    let app: String
    let from: String
    let to: String
    let at: Int64
}

extension TransferWindows {
    fileprivate init(_ records: [TransferRecord], of team: TeamID) {
        for record in records {
            guard let app = ClientID(rawValue: record.app), let source = TeamID(rawValue: record.from),
                let target = TeamID(rawValue: record.to)
            else { continue }
            let closesAt = Timestamp(microseconds: record.at) + AppTransfer.window
            if source == team {
                outgoing[app] = Window(team: target, closesAt: closesAt)
            } else {
                incoming[app] = Window(team: source, closesAt: closesAt)
            }
        }
    }
}
