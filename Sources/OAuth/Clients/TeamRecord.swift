import Core
import Crypto
import Platform
import Postgres
import Registry

/// A team as read from the database: its settings, and its registrations as JSON, which are parsed separately because
/// that may take long.
struct TeamRecord: Sendable {
    /// Largest size in octets of registrations that are parsed on a loop, in some 10 ms at most.
    static let smallSize = 32 * 1024

    private let name: String
    private let isSandbox: Bool
    private let isClosed: Bool
    private let branding: Branding
    private let logoDigest: String?
    private let registration: Registration
    private let sources: [IdentitySource]
    private let secondFactor: SecondFactor
    private let appleKeys: AppleKeyPublication
    private let version: Int
    private let apps: String
    private let services: String
    private let keys: String
    private let idTokenSeconds: Int
    private let notBefores: String
    private let transfers: String
    private let connections: String

    /// Reads the columns of `TeamSnapshotStore`.
    init(_ row: inout Row) throws {
        name = try row.next()
        isSandbox = try row.next()
        isClosed = try row.next()
        branding = Branding(accent: try row.next(), privacyURL: try row.next(), termsURL: try row.next())
        logoDigest = try row.next()
        registration = try row.next()
        sources = try row.next([String].self).compactMap(IdentitySource.init)
        secondFactor = try row.next()
        appleKeys = try row.next()
        version = try row.next()
        apps = try row.next()
        services = try row.next()
        keys = try row.next()
        idTokenSeconds = try row.next()
        notBefores = try row.next()
        transfers = try row.next()
        connections = try row.next()
    }

    /// Size of the registrations, in octets.
    var size: Int { [apps, services, keys, notBefores, transfers, connections].reduce(0) { $0 + $1.utf8.count } }

    func snapshot(of team: TeamID, signingKeys: [TeamSigningKey], accessTokens: OpaqueToken, appleKeys: AppleKeyStore)
        throws(JSON.Failure) -> TeamSnapshot
    {
        let apps = try appTable()
        return TeamSnapshot(
            id: team, name: name, isSandbox: isSandbox, isClosed: isClosed, branding: branding, logoDigest: logoDigest,
            registration: registration, identitySources: sources, secondFactor: secondFactor,
            applePublication: self.appleKeys, version: version, apps: apps, services: try serviceTable(),
            keys: try keyTable(apps), signingKeys: signingKeys, accessTokens: accessTokens,
            tokenRules: TokenRules(idTokenLife: .seconds(idTokenSeconds), notBefores: try notBeforeTable()),
            transfers: try transferWindows(of: team), appleRegistrations: try registrations(of: team, apps, appleKeys))
    }
}

// The registrations, table by table.
extension TeamRecord {
    private func appTable() throws(JSON.Failure) -> [ClientID: TeamSnapshot.App] {
        var table: [ClientID: TeamSnapshot.App] = [:]
        for record in try RecordMembers.list(apps) {
            guard let id = ClientID(rawValue: try record.text("id")),
                let primaryAppID = ClientID(rawValue: try record.text("group"))
            else { continue }
            table[id] = TeamSnapshot.App(
                isEnabled: try record.flag("enabled"), primaryAppID: primaryAppID,
                description: try record.text("description"), issuesAsApple: try record.text("issuer") == "apple")
        }
        return table
    }

    private func serviceTable() throws(JSON.Failure) -> [ClientID: TeamSnapshot.Service] {
        var table: [ClientID: TeamSnapshot.Service] = [:]
        for record in try RecordMembers.list(services) {
            guard let id = ClientID(rawValue: try record.text("id")),
                let app = ClientID(rawValue: try record.text("app"))
            else { continue }
            let urls = try record.texts("urls") ?? []
            // Nil in a team that does not require verified domains.
            let verified = try record.texts("verified")
            table[id] = TeamSnapshot.Service(
                app: app, description: try record.text("description"),
                issuesAsApple: try record.text("issuer") == "apple",
                writesStrings: try record.text("booleans") == "string", requiresPKCE: try record.flag("pkce"),
                returnURLs: urls, unprovenURLs: verified.map { ReturnURL.unproven(urls, verified: $0) } ?? [])
        }
        return table
    }

    /// Reads the keys' metadata; a key itself is parsed at its first use.
    private func keyTable(_ apps: [ClientID: TeamSnapshot.App]) throws(JSON.Failure) -> [KeyID: TeamSnapshot.IssuedKey]
    {
        var table: [KeyID: TeamSnapshot.IssuedKey] = [:]
        for record in try RecordMembers.list(keys) {
            guard let id = KeyID(rawValue: try record.text("id")), let app = ClientID(rawValue: try record.text("app")),
                let primaryAppID = apps[app]?.primaryAppID
            else { continue }
            table[id] = TeamSnapshot.IssuedKey(primaryAppID: primaryAppID, pem: try record.text("pem"))
        }
        return table
    }

    private func notBeforeTable() throws(JSON.Failure) -> [String: Timestamp] {
        var table: [String: Timestamp] = [:]
        for record in try RecordMembers.list(notBefores) {
            table[try record.text("client")] = Timestamp(microseconds: try record.integer("at"))
        }
        return table
    }

    private func transferWindows(of team: TeamID) throws(JSON.Failure) -> TransferWindows {
        var windows = TransferWindows()
        for record in try RecordMembers.list(transfers) {
            guard let app = ClientID(rawValue: try record.text("app")),
                let source = TeamID(rawValue: try record.text("from")),
                let target = TeamID(rawValue: try record.text("to"))
            else { continue }
            let closesAt = Timestamp(microseconds: try record.integer("at")) + AppTransfer.window
            if source == team {
                windows.outgoing[app] = TransferWindows.Window(team: target, closesAt: closesAt)
            } else {
                windows.incoming[app] = TransferWindows.Window(team: source, closesAt: closesAt)
            }
        }
        return windows
    }

    /// Leaves out a connection whose key cannot be decrypted; it is unusable, and the console's test shows the reason.
    private func registrations(of team: TeamID, _ apps: [ClientID: TeamSnapshot.App], _ keys: AppleKeyStore) throws(JSON
        .Failure) -> [ClientID: AppleRegistration]
    {
        let records = try RecordMembers.list(connections)
        if records.isEmpty { return [:] }
        let groups = Dictionary(grouping: apps.keys) { apps[$0]?.primaryAppID ?? $0 }
        var table: [ClientID: AppleRegistration] = [:]
        for record in records {
            guard let app = ClientID(rawValue: try record.text("app")),
                let services = ClientID(rawValue: try record.text("services")),
                let appleTeam = AppleTeamID(rawValue: try record.text("team")),
                let id = KeyID(rawValue: try record.text("key")), let sealed = Hex.decode(try record.text("sealed")),
                let key = keys.open(sealed, as: id, in: team)
            else { continue }
            table[app] = AppleRegistration(
                team: team, appID: app, teamID: appleTeam, servicesID: services, bundleIDs: Set(groups[app] ?? []),
                keyID: id, key: key)
        }
        return table
    }
}

/// An object of a JSON list made by the database.
private struct RecordMembers {
    private let members: [String: JSONValue]

    static func list(_ text: String) throws(JSON.Failure) -> [RecordMembers] {
        guard case .array(let elements) = try JSON.decode(JSONValue.self, from: Array(text.utf8)) else {
            throw .malformed
        }
        var records: [RecordMembers] = []
        records.reserveCapacity(elements.count)
        for element in elements {
            guard case .object(let members) = element else { throw .malformed }
            records.append(RecordMembers(members: members))
        }
        return records
    }

    func text(_ name: String) throws(JSON.Failure) -> String {
        guard let value = members[name]?.string else { throw .mismatch(path: name, expected: "String") }
        return value
    }

    func flag(_ name: String) throws(JSON.Failure) -> Bool {
        guard let value = members[name]?.boolean else { throw .mismatch(path: name, expected: "Bool") }
        return value
    }

    func integer(_ name: String) throws(JSON.Failure) -> Int64 {
        guard let value = members[name]?.integer else { throw .mismatch(path: name, expected: "Int64") }
        return value
    }

    /// Nil when the member is null.
    func texts(_ name: String) throws(JSON.Failure) -> [String]? {
        switch members[name] {
        case .null?: return nil
        case .array(let values)?: return values.compactMap(\.string)
        default: throw .mismatch(path: name, expected: "[String]")
        }
    }
}
