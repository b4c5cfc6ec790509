public import Core
import Crypto
import Directory
public import Platform
public import Postgres

/// Migrates users between two teams; each statement runs as one of the teams.
public struct UserMigrationStore: Sendable {
    let database: TeamDatabase
    let server: ServerContext

    public init(database: TeamDatabase, server: ServerContext) {
        self.database = database
        self.server = server
    }

    /// A user in the new team.
    struct Arrival: Sendable {
        let subject: Subject
        /// The relay address; nil unless the user hides the email address.
        let relayAddress: String?
    }

    /// The user's `transfer_sub` for the other team, which receives the user's data at the first request; nil when the
    /// app has no user `sub`.
    ///
    /// The `transfer_sub` is the same for all apps. The address of a user who hides it is not transferred.
    func send(_ subject: Subject, of primaryAppID: ClientID, through window: TransferWindows.Window, from team: TeamID)
        async throws(PostgresFailure) -> Subject?
    {
        let name = Subject(hexadecimal: Hex.encode(server.random.bytes(16)))
        let rows = try await database.query(
            [
                // A concurrent end of the consent waits, and then deletes the data passed on here.
                UserStore.lock(subject, in: team), naming(subject, name, primaryAppID, window, team),
                telling(subject, primaryAppID, window, team),
            ], in: team)
        guard var row = rows.first else { return nil }
        return try row.next()
    }

    private func naming(
        _ subject: Subject, _ name: Subject, _ primaryAppID: ClientID, _ window: TransferWindows.Window, _ team: TeamID
    ) -> SQL {
        """
        INSERT INTO transfer_subs (team_id, sub, target_team, transfer_sub)
        SELECT \(team), sub, \(window.team), \(name) FROM consents
        WHERE team_id = \(team) AND sub = \(subject) AND app_id = \(primaryAppID) AND pippin_team_is_open(\(window.team))
        ON CONFLICT DO NOTHING
        """
    }

    private func telling(_ subject: Subject, _ primaryAppID: ClientID, _ window: TransferWindows.Window, _ team: TeamID)
        -> SQL
    {
        """
        WITH person AS (
            SELECT transfer_subs.transfer_sub, consents.shares_name, consents.shares_email, consents.hides_email,
                consents.given_name, consents.family_name,
                CASE WHEN consents.shares_email AND NOT consents.hides_email THEN
                    CASE WHEN consents.provider IS NULL THEN users.email ELSE consents.upstream_email END
                END AS email,
                CASE WHEN consents.provider IS NULL THEN users.is_email_verified
                    ELSE consents.is_upstream_email_verified END AS is_email_verified
            FROM users
            JOIN consents ON consents.team_id = \(team) AND consents.sub = users.sub
                AND consents.app_id = \(primaryAppID)
            JOIN transfer_subs ON transfer_subs.team_id = \(team) AND transfer_subs.sub = users.sub
                AND transfer_subs.target_team = \(window.team)
            WHERE users.team_id = \(team) AND users.sub = \(subject) AND pippin_team_is_open(\(window.team))
        ), told AS (
            INSERT INTO transferred_people (
                team_id, transfer_sub, app_id, from_team, shares_name, shares_email, hides_email, given_name,
                family_name, email, is_email_verified, expires_at
            )
            SELECT \(window.team), transfer_sub, \(primaryAppID), \(team), shares_name, shares_email, hides_email,
                given_name, family_name, email, is_email_verified, \(window.closesAt)
            FROM person
            ON CONFLICT DO NOTHING
        )
        SELECT transfer_sub FROM person
        """
    }

    /// The user of a `transfer_sub` in the new team, created at the first request.
    ///
    /// - Returns: nil when no user with that `transfer_sub` was transferred with the app.
    /// - Throws: `PostgresFailure`.
    func receive(_ transferSub: Subject, for client: Client, in team: TeamID, from origin: Origin, at moment: Timestamp)
        async throws -> Arrival?
    {
        try await database.change(in: team, by: .client(client.id), from: origin) { change in
            let theirs: SQL = "p.team_id = \(team) AND p.transfer_sub = \(transferSub) AND p.expires_at > \(moment)"
            // The user first, then the rows in one order, so that concurrent requests of two apps create only one user.
            try await change.query(
                """
                SELECT FROM users WHERE team_id = \(team) AND sub IN (
                    SELECT p.sub FROM transferred_people p WHERE \(theirs)
                ) ORDER BY sub FOR NO KEY UPDATE
                """)
            try await change.query("SELECT FROM transferred_people p WHERE \(theirs) ORDER BY p.app_id FOR UPDATE")
            let rows = try await change.query(
                """
                SELECT p.app_id, u.sub, p.sub IS NOT NULL AND u.sub IS NULL, p.shares_email, p.hides_email,
                    p.given_name, p.family_name, p.email, p.is_email_verified
                FROM transferred_people p LEFT JOIN users u ON u.team_id = \(team) AND u.sub = p.sub
                WHERE \(theirs) AND (p.sub IS NOT NULL OR pippin_team_is_open(p.from_team))
                ORDER BY p.app_id
                """)
            var newcomer: Newcomer?
            var known: Subject?
            for var row in rows {
                let person = try Newcomer(&row)
                // A user deleted here is not created again by the same `transfer_sub`, for any app.
                guard !person.isDeleted else { return nil }
                if let subject = person.subject { known = known ?? subject }
                if person.appID == client.primaryAppID { newcomer = person }
            }
            guard let newcomer else { return nil }
            let subject = try await user(newcomer, known, change)
            if newcomer.subject == nil {
                try await change.query(newcomer.settling(transferSub, as: subject, in: team, at: moment))
            }
            return try await arrival(subject, newcomer, change)
        }
    }

    /// The existing user, or a new one.
    ///
    /// A user whose shared address is not a login name here yet can sign in with it, after setting a password by mail.
    /// Accounts are never merged because of the same address.
    private func user(_ newcomer: Newcomer, _ known: Subject?, _ change: borrowing Change) async throws -> Subject {
        if let known { return known }
        let store = UserStore(database, random: server.random)
        do { return try await store.create(newcomer.userWithLogin, change) } catch UserStore.Failure.loginTaken {
            let subject = try await store.create(newcomer.userWithoutLogin, change)
            try await change.query(
                UserStore.addressing(subject, as: newcomer.email, isVerified: newcomer.isEmailVerified, in: change.team)
            )
            return subject
        }
    }

    private func arrival(_ subject: Subject, _ newcomer: Newcomer, _ change: borrowing Change) async throws -> Arrival {
        guard newcomer.sharesEmail, newcomer.hidesEmail else { return Arrival(subject: subject, relayAddress: nil) }
        let address = "\(server.random.text(16, from: .readable))@\(server.relayDomain)"
        let rows = try await change.query(UserStore.relaying(subject, by: address, in: change.team))
        return Arrival(subject: subject, relayAddress: try rows.firstValue(User.init)?.relayAddress?.rawValue)
    }

    /// The user's `transfer_sub` for `id_token`s while a transfer window is open; no query otherwise.
    public func name(of subject: Subject, for primaryAppID: ClientID, in team: TeamSnapshot, at moment: Timestamp)
        async throws(PostgresFailure) -> Subject?
    {
        guard team.transfers.incoming(primaryAppID, at: moment) != nil else { return nil }
        let rows = try await database.query(
            """
            SELECT transfer_sub FROM transferred_people
            WHERE team_id = \(team.id) AND sub = \(subject) AND app_id = \(primaryAppID) AND expires_at > \(moment)
            """, in: team.id)
        guard var row = rows.first else { return nil }
        return try row.next()
    }
}

/// A user transferred with an app.
private struct Newcomer {
    let appID: ClientID
    let subject: Subject?
    /// Whether the user was created in this team and then deleted.
    let isDeleted: Bool
    let sharesEmail: Bool
    let hidesEmail: Bool
    private let name: PersonName
    let email: String?
    let isEmailVerified: Bool

    init(_ row: inout Row) throws(PostgresFailure) {
        appID = try row.next()
        subject = try row.next()
        isDeleted = try row.next()
        sharesEmail = try row.next()
        hidesEmail = try row.next()
        name = PersonName(given: try row.next(), family: try row.next()) ?? .none
        email = try row.next()
        isEmailVerified = try row.next()
    }

    var userWithLogin: NewUser {
        NewUser(name: name, email: email.flatMap(EmailAddress.init(rawValue:)), isEmailVerified: isEmailVerified)
    }

    var userWithoutLogin: NewUser { NewUser(name: name, email: nil) }

    /// Stores the consent as it was given, with `user` marked as delivered, and deletes the transferred data.
    func settling(_ name: Subject, as subject: Subject, in team: TeamID, at moment: Timestamp) -> SQL {
        """
        WITH consent AS (
            INSERT INTO consents (
                team_id, sub, app_id, shares_name, shares_email, hides_email, given_name, family_name,
                granted_at, ip, delivered_at
            )
            SELECT team_id, \(subject), app_id, shares_name, shares_email, hides_email, given_name,
                family_name, \(moment), '', \(moment)
            FROM transferred_people
            WHERE team_id = \(team) AND transfer_sub = \(name) AND app_id = \(appID)
            ON CONFLICT DO NOTHING
        )
        UPDATE transferred_people
        SET sub = \(subject), given_name = '', family_name = '', email = NULL
        WHERE team_id = \(team) AND transfer_sub = \(name) AND app_id = \(appID)
        """
    }
}
