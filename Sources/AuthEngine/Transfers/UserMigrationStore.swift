import Audit
import Bytes
import Crypto
import Directory
import Domain
import Postgres

/// Moves people between two teams: each statement runs as one of them.
struct UserMigrationStore: Sendable {
    let database: TeamDatabase
    let context: EngineContext

    /// Someone who has arrived.
    struct Arrival: Sendable {
        let subject: Subject
        /// Set when they hide their address.
        let relayAddress: String?
    }

    /// What the person is called towards the other team, which is told of them the first time; nil when nobody of
    /// that `sub` uses the app.
    ///
    /// The name is one for all apps. The address of someone who hides it stays behind.
    func send(
        _ subject: Subject,
        of group: ClientID,
        through window: TransferWindows.Window,
        from team: TeamID
    ) async throws(PostgresFailure) -> Subject? {
        let name = Subject(hexadecimal: Hex.encode(context.random.bytes(16)))
        let rows = try await database.query(
            [
                // Whoever ends the consent waits, and takes back what is told of the person here.
                UserStore.lock(subject, in: team), naming(subject, name, group, window, team),
                telling(subject, group, window, team),
            ],
            in: team
        )
        guard var row = rows.first else { return nil }
        return try row.next()
    }

    private func naming(
        _ subject: Subject,
        _ name: Subject,
        _ group: ClientID,
        _ window: TransferWindows.Window,
        _ team: TeamID
    ) -> SQL {
        """
        INSERT INTO transfer_subs (team_id, sub, target_team, transfer_sub)
        SELECT \(team), sub, \(window.team), \(name) FROM consents
        WHERE team_id = \(team) AND sub = \(subject) AND app_id = \(group) AND pippin_team_is_open(\(window.team))
        ON CONFLICT DO NOTHING
        """
    }

    private func telling(
        _ subject: Subject,
        _ group: ClientID,
        _ window: TransferWindows.Window,
        _ team: TeamID
    ) -> SQL {
        """
        WITH person AS (
            SELECT transfer_subs.transfer_sub, consents.shares_name, consents.shares_email, consents.hides_email,
                consents.given_name, consents.family_name,
                CASE WHEN consents.shares_email AND NOT consents.hides_email THEN
                    CASE WHEN consents.provider IS NULL THEN users.email ELSE consents.provider_email END
                END AS email,
                CASE WHEN consents.provider IS NULL THEN users.is_email_verified
                    ELSE consents.is_provider_email_verified END AS is_email_verified
            FROM users
            JOIN consents ON consents.team_id = \(team) AND consents.sub = users.sub
                AND consents.app_id = \(group)
            JOIN transfer_subs ON transfer_subs.team_id = \(team) AND transfer_subs.sub = users.sub
                AND transfer_subs.target_team = \(window.team)
            WHERE users.team_id = \(team) AND users.sub = \(subject) AND pippin_team_is_open(\(window.team))
        ), told AS (
            INSERT INTO transferred_people (
                team_id, transfer_sub, app_id, from_team, shares_name, shares_email, hides_email, given_name,
                family_name, email, is_email_verified, expires_at
            )
            SELECT \(window.team), transfer_sub, \(group), \(team), shares_name, shares_email, hides_email,
                given_name, family_name, email, is_email_verified, \(window.closesAt)
            FROM person
            ON CONFLICT DO NOTHING
        )
        SELECT transfer_sub FROM person
        """
    }

    /// The user that a person has become here; the first question makes them one.
    ///
    /// - Returns: nil when nobody of that name came with the app.
    /// - Throws: `PostgresFailure`.
    func receive(
        _ transferSub: Subject,
        for client: Client,
        in team: TeamID,
        from origin: Origin,
        at moment: Timestamp
    ) async throws -> Arrival? {
        try await database.transaction(in: team) { transaction in
            let theirs: SQL =
                "p.team_id = \(team) AND p.transfer_sub = \(transferSub) AND p.expires_at > \(moment)"
            // The person first, then their rows in one order, so that two apps which ask for one person make one user.
            try await transaction.query(
                """
                SELECT FROM users WHERE team_id = \(team) AND sub IN (
                    SELECT p.sub FROM transferred_people p WHERE \(theirs)
                ) ORDER BY sub FOR NO KEY UPDATE
                """
            )
            try await transaction.query(
                "SELECT FROM transferred_people p WHERE \(theirs) ORDER BY p.app_id FOR UPDATE"
            )
            let rows = try await transaction.query(
                """
                SELECT p.app_id, u.sub, p.sub IS NOT NULL AND u.sub IS NULL, p.shares_email, p.hides_email,
                    p.given_name, p.family_name, p.email, p.is_email_verified
                FROM transferred_people p LEFT JOIN users u ON u.team_id = \(team) AND u.sub = p.sub
                WHERE \(theirs) AND (p.sub IS NOT NULL OR pippin_team_is_open(p.from_team))
                ORDER BY p.app_id
                """
            )
            var newcomer: Newcomer?
            var known: Subject?
            for var row in rows {
                let person = try Newcomer(&row)
                // Nobody who was deleted here comes back by their name of the transfer, for whichever app.
                guard !person.isDeleted else { return nil }
                if let subject = person.subject { known = known ?? subject }
                if person.appID == client.group { newcomer = person }
            }
            guard let newcomer else { return nil }
            let subject = try await user(newcomer, known, team, client, origin, transaction)
            if newcomer.subject == nil {
                try await transaction.query(
                    newcomer.settling(transferSub, as: subject, in: team, at: moment)
                )
            }
            return try await arrival(subject, newcomer, team, transaction)
        }
    }

    /// The user there is already, or a new one.
    ///
    /// Whoever shares an address that is nobody's login name here may sign in with it, once they have set a password
    /// by mail. Accounts are never joined because an address matches.
    private func user(
        _ newcomer: Newcomer,
        _ known: Subject?,
        _ team: TeamID,
        _ client: Client,
        _ origin: Origin,
        _ transaction: borrowing Transaction
    ) async throws -> Subject {
        if let known { return known }
        let store = UserStore(database, random: context.random)
        let actor = Actor.client(client.id)
        do {
            return try await store.create(
                newcomer.userWithLogin,
                in: team,
                by: actor,
                from: origin,
                transaction
            )
        } catch UserStore.Failure.loginTaken {
            let subject = try await store.create(
                newcomer.userWithoutLogin,
                in: team,
                by: actor,
                from: origin,
                transaction
            )
            try await transaction.query(newcomer.addressing(subject, in: team))
            return subject
        }
    }

    private func arrival(
        _ subject: Subject,
        _ newcomer: Newcomer,
        _ team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws -> Arrival {
        guard newcomer.sharesEmail, newcomer.hidesEmail else {
            return Arrival(subject: subject, relayAddress: nil)
        }
        let address = "\(context.random.text(16, from: .readable))@\(context.relayDomain)"
        let rows = try await transaction.query(
            """
            UPDATE users SET relay_address = COALESCE(relay_address, \(address))
            WHERE team_id = \(team) AND sub = \(subject)
            RETURNING relay_address
            """
        )
        guard var row = rows.first else { return Arrival(subject: subject, relayAddress: nil) }
        return Arrival(subject: subject, relayAddress: try row.next())
    }

    /// What a person is called in `id_token`s while the window of a transfer is open; asked for nobody else.
    func name(
        of subject: Subject,
        for group: ClientID,
        in team: TeamSnapshot,
        at moment: Timestamp
    ) async throws(PostgresFailure) -> Subject? {
        guard team.transfers.incoming(group, at: moment) != nil else { return nil }
        let rows = try await database.query(
            """
            SELECT transfer_sub FROM transferred_people
            WHERE team_id = \(team.id) AND sub = \(subject) AND app_id = \(group) AND expires_at > \(moment)
            """,
            in: team.id
        )
        guard var row = rows.first else { return nil }
        return try row.next()
    }
}

/// Someone who came with an app.
private struct Newcomer {
    let appID: ClientID
    let subject: Subject?
    /// Whether they had become a user here, who was deleted.
    let isDeleted: Bool
    let sharesEmail: Bool
    let hidesEmail: Bool
    private let name: PersonName
    private let email: String?
    private let isEmailVerified: Bool

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
        NewUser(
            name: name,
            email: email.flatMap(EmailAddress.init(rawValue:)),
            isEmailVerified: isEmailVerified
        )
    }

    var userWithoutLogin: NewUser { NewUser(name: name, email: nil) }

    /// Keeps the address of someone whose login name it cannot be.
    func addressing(_ subject: Subject, in team: TeamID) -> SQL {
        """
        UPDATE users SET email = \(email), is_email_verified = \(isEmailVerified)
        WHERE team_id = \(team) AND sub = \(subject)
        """
    }

    /// The consent goes on as it was given, `user` was delivered long ago, and what was carried here is forgotten.
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
