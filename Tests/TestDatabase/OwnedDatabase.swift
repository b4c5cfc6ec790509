public import Platform
import Postgres

/// A database that a test looks into and changes as its owner, beyond the wall between teams.
public protocol OwnedDatabase { var conninfo: String { get } }

extension OwnedDatabase {
    /// Runs a statement as the owner of the database.
    @discardableResult public func admin(_ statement: String, _ values: String?...) throws -> [[String?]] {
        try TestDatabase.execute(statement, values, in: conninfo)
    }

    /// The first column of what is found.
    private func column(_ statement: String, _ values: String?...) throws -> [String?] {
        try TestDatabase.execute(statement, values, in: conninfo).map { $0[0] }
    }

    private func number(_ statement: String, _ values: String?...) throws -> Int {
        try TestDatabase.execute(statement, values, in: conninfo)[0][0].flatMap { Int($0) } ?? 0
    }
}

// What tests often ask for and change, each in one place: a renamed column is no matter of hundreds of lines.
extension OwnedDatabase {
    /// Number of rows of a table, in one team or in all.
    public func count(_ table: String, in team: TeamID? = nil) throws -> Int {
        guard let team else { return try number("SELECT count(*) FROM \(table)") }
        return try number("SELECT count(*) FROM \(table) WHERE team_id = $1", team.rawValue)
    }

    /// Number of rows of a table that belong to a person, in one team or in all.
    public func count(_ table: String, of subject: Subject, in team: TeamID? = nil) throws -> Int {
        try number(
            "SELECT count(*) FROM \(table) WHERE sub = $1 AND team_id = coalesce($2, team_id)", subject.rawValue,
            team?.rawValue)
    }

    // The audit log

    /// The actions in a team's log, the oldest first, without those that set the stage.
    public func actions(in team: TeamID = .acme) throws -> [String] {
        try column("SELECT action FROM audit_events WHERE team_id = $1 AND actor <> 'test' ORDER BY at", team.rawValue)
            .compactMap(\.self)
    }

    /// The actions in a team's log, the oldest first.
    public func allActions(in team: TeamID) throws -> [String] {
        try column("SELECT action FROM audit_events WHERE team_id = $1 ORDER BY at", team.rawValue).compactMap(\.self)
    }

    // Teams

    public func setMode(_ mode: String, of team: TeamID = .acme) throws {
        try admin("UPDATE teams SET mode = $2 WHERE team_id = $1", team.rawValue, mode)
    }

    /// - Parameter sources: as PostgreSQL writes a list: `directory,apple`.
    public func setIdentitySources(_ sources: String, of team: TeamID = .acme) throws {
        try admin("UPDATE teams SET identity_sources = $2::text[] WHERE team_id = $1", team.rawValue, "{\(sources)}")
    }

    /// - Parameter policy: `open`, `invitation` or `off`.
    public func setRegistration(_ policy: String, of team: TeamID = .acme) throws {
        try admin("UPDATE teams SET registration = $2 WHERE team_id = $1", team.rawValue, policy)
    }

    public func setName(_ name: String, of team: TeamID = .acme) throws {
        try admin("UPDATE teams SET name = $2 WHERE team_id = $1", team.rawValue, name)
    }

    public func requireVerifiedDomains(of team: TeamID = .acme) throws {
        try admin("UPDATE teams SET requires_verified_domains = true WHERE team_id = $1", team.rawValue)
    }

    /// The team is deleted from now on.
    public func markDeleted(_ team: TeamID) throws {
        try admin("UPDATE teams SET deleted_at = now() WHERE team_id = $1", team.rawValue)
    }

    public func setClosed(_ team: TeamID, _ isClosed: Bool = true) throws {
        try admin(
            "UPDATE teams SET closed_at = CASE WHEN $2::boolean THEN now() END WHERE team_id = $1", team.rawValue,
            "\(isClosed)")
    }

    /// - Parameter days: for which audit events are kept.
    public func keepEvents(_ days: Int, of team: TeamID = .acme) throws {
        try admin("UPDATE teams SET audit_retention_days = $2::integer WHERE team_id = $1", team.rawValue, "\(days)")
    }

    /// - Parameter role: a word of the column.
    public func addMember(_ subject: Subject, _ role: String, to team: TeamID = .acme) throws {
        try admin(
            "INSERT INTO memberships (team_id, sub, role) VALUES ($1, $2, $3)", team.rawValue, subject.rawValue, role)
    }

    /// Adds so many auditors to a team beyond all rules, each with a console account.
    public func addMembers(_ count: Int, to team: TeamID = .acme) throws {
        let sub = "'000000.' || lpad(to_hex(n), 32, '0') || '.0000' FROM generate_series(1, $1::integer) AS n"
        try admin("INSERT INTO users (team_id, sub) SELECT 'PIPPIN0000', \(sub)", String(count))
        try admin(
            "INSERT INTO memberships (role, team_id, sub) SELECT 'auditor', $2, \(sub)", String(count), team.rawValue)
    }

    // The registry

    /// Registers so many App IDs beyond all rules, each the prefix and a number from 1 on.
    public func addApps(_ count: Int, named prefix: String, to team: TeamID = .acme) throws {
        let names = "SELECT $1, $2 || n, $3 FROM generate_series(1, $4::integer) AS n"
        for (table, column, value) in [("client_identifiers", "kind", "app"), ("app_ids", "description", "Filler")] {
            try admin(
                "INSERT INTO \(table) (team_id, identifier, \(column)) \(names)", team.rawValue, prefix, value,
                String(count))
        }
    }

    /// Registers an App ID beyond all rules.
    public func addApp(_ id: ClientID, to team: TeamID = .acme) throws {
        try admin(
            "INSERT INTO client_identifiers (team_id, identifier, kind) VALUES ($1, $2, 'app')", team.rawValue,
            id.rawValue)
        try admin(
            "INSERT INTO app_ids (team_id, identifier, description) VALUES ($1, $2, 'Acme''s app')", team.rawValue,
            id.rawValue)
    }

    /// Gives every App ID of a team, or one, an address for notifications.
    public func setNotificationURL(_ url: String, of app: ClientID? = nil, in team: TeamID = .acme) throws {
        try admin(
            "UPDATE app_ids SET notification_url = $2 WHERE team_id = $1 AND identifier = coalesce($3, identifier)",
            team.rawValue, url, app?.rawValue)
    }

    /// The ids of the keys that a team signs its tokens with.
    public func signingKeyIDs(of team: TeamID = .acme) throws -> [String?] {
        try column("SELECT kid FROM signing_keys WHERE team_id = $1", team.rawValue)
    }

    /// Adds so many transfers of App IDs that are gone, settled at a moment.
    public func addTransfers(
        _ count: Int, _ state: String = "accepted", from source: String, to target: String, at moment: String
    ) throws {
        try admin(
            """
            INSERT INTO app_transfers (
                team_id, transfer_id, target_team, app_id, registration, state, offered_at, settled_at
            )
            SELECT $1::text, translate(left(md5($1::text || n), 26), '0189', 'ghij'), $2, 'com.gone.app' || n,
                '{"description": "Gone", "isEnabled": true, "notificationURL": "", "issuer": "own", "services": [],
                    "people": 0}', $3, $4::timestamptz, $4::timestamptz
            FROM generate_series(1, $5::integer) AS n
            """, source, target, state, moment, String(count))
    }

    /// The states of all transfers of apps, the oldest first.
    public func transferStates() throws -> [String?] {
        try column("SELECT state FROM app_transfers ORDER BY offered_at")
    }

    // People

    /// Adds a person without name or address, to the system team a console account.
    public func addPerson(_ subject: Subject, to team: TeamID = .system) throws {
        try admin("INSERT INTO users (team_id, sub) VALUES ($1, $2)", team.rawValue, subject.rawValue)
    }

    public func setSuspended(_ subject: Subject, _ isSuspended: Bool = true, in team: TeamID = .acme) throws {
        try admin(
            """
            UPDATE users SET suspended_at = CASE WHEN $3::boolean THEN now() END WHERE team_id = $1 AND sub = $2
            """, team.rawValue, subject.rawValue, "\(isSuspended)")
    }

    public func removePerson(_ subject: Subject, in team: TeamID = .acme) throws {
        try admin("DELETE FROM users WHERE team_id = $1 AND sub = $2", team.rawValue, subject.rawValue)
    }

    public func removePeople(of team: TeamID = .acme) throws {
        try admin("DELETE FROM users WHERE team_id = $1", team.rawValue)
    }

    public func removePassword(of subject: Subject) throws {
        try admin("DELETE FROM passwords WHERE sub = $1", subject.rawValue)
    }

    /// As if no link had been mailed yet.
    public func forgetMailedLinks() throws { try admin("DELETE FROM mailed_links") }

    /// The states of all Apple Accounts.
    public func identityStates() throws -> [String?] { try column("SELECT state FROM upstream_identities") }

    /// As if Apple had said that everybody takes back the consent.
    public func revokeIdentities() throws { try admin("UPDATE upstream_identities SET state = 'revoked'") }

    // Limits

    /// As if nothing had been counted yet.
    public func forgetCounts() throws { try admin("DELETE FROM limits") }

    /// What is counted, by a pattern of `LIKE` for what it is counted of.
    public func counted(_ pattern: String) throws -> [Int] {
        try column("SELECT count FROM limits WHERE subject LIKE $1 ORDER BY subject", pattern).compactMap {
            $0.flatMap { Int($0) }
        }
    }

    // Jobs and notifications

    /// The states of all jobs, or of those of one kind.
    public func jobStates(of kind: String? = nil) throws -> [String?] {
        try column("SELECT state FROM jobs WHERE kind = coalesce($1, kind) ORDER BY created_at", kind)
    }

    /// Why each job failed the last time.
    public func jobProblems() throws -> [String?] { try column("SELECT problem FROM jobs ORDER BY created_at") }

    /// - Parameter attempts: how often each is said to have been tried; as often as it was, if nil.
    public func makeJobsDue(afterAttempts attempts: Int? = nil) throws {
        try admin(
            "UPDATE jobs SET due_at = now(), attempts = coalesce($1::integer, attempts)", attempts.map(String.init))
    }

    /// The types of a team's notifications to apps, the oldest first.
    public func notificationTypes(of team: TeamID = .acme) throws -> [String?] {
        try column("SELECT type FROM notifications WHERE team_id = $1 ORDER BY event_time, created_at", team.rawValue)
    }
}
