import Audit
public import Bytes
public import Crypto
public import Domain
public import Postgres

/// What people let apps know, and for how long.
public struct ConsentStore: Sendable {
    /// The person agreed to, as they are now, and what they agreed to.
    public struct Granted: Sendable {
        public let user: User
        public let consent: Consent
    }

    /// The person is not in the team (any more).
    public struct UnknownUser: Error, Sendable {}

    /// How often a relay address is drawn before its repetition is a fault.
    private static let draws = 3

    private let database: TeamDatabase
    private let relay: RelayDomain
    private let random: RandomSource

    public init(_ database: TeamDatabase, relay: RelayDomain, random: RandomSource = .system) {
        self.database = database
        self.relay = relay
        self.random = random
    }

    /// What `Consent` reads, of a table that goes by `c`.
    static let columns: SQL = """
        c.app_id, c.shares_name, c.shares_email, c.hides_email, c.given_name, c.family_name, c.granted_at,
        c.delivered_at, c.forwards_mail, c.provider, c.provider_email, c.is_provider_email_verified,
        c.is_provider_email_private
        """

    /// What the person lets the group of `appID` know, or nil when they were not asked yet.
    public func find(
        of subject: Subject,
        for appID: ClientID,
        in team: TeamID
    ) async throws(PostgresFailure) -> Consent? {
        let rows = try await database.query(Self.selection(of: subject, for: appID, in: team), in: team)
        return try rows.firstValue(Consent.init)
    }

    /// Takes `user` for delivered, whoever has it by now.
    public func noteDelivery(
        of subject: Subject,
        to appID: ClientID,
        in team: TeamID,
        at now: Timestamp
    ) async throws(PostgresFailure) {
        try await database.query(
            """
            UPDATE consents SET delivered_at = \(now)
            WHERE team_id = \(team) AND sub = \(subject) AND app_id = \(appID) AND delivered_at IS NULL
            """,
            in: team
        )
    }

    /// Records what a person decided on the sheet; a decision that stands already is left alone and returned.
    ///
    /// The first time a person hides their address they get a relay address, which is theirs for ever.
    ///
    /// - Parameter right: the session in which they decide.
    /// - Throws: `UnknownUser`, `SessionRight.Over`, `PostgresFailure`.
    public func grant(
        _ choice: ConsentChoice,
        of subject: Subject,
        to appID: ClientID,
        by right: SessionRight? = nil,
        in team: TeamID,
        from origin: Origin,
        at now: Timestamp = .now()
    ) async throws -> Granted {
        let sheet = Sheet(choice: choice, subject: subject, appID: appID, team: team, origin: origin, at: now)
        var draw = 1
        while true {
            do {
                return try await database.transaction(in: team, locking: .person(subject, in: team)) {
                    try await record(sheet, by: right, $0)
                }
            } catch let failure as PostgresFailure
                where failure.constraint == "users_relay_address_key" && draw < Self.draws
            {
                draw += 1
            }
        }
    }

    private func record(
        _ sheet: Sheet,
        by right: SessionRight?,
        _ transaction: borrowing Transaction
    ) async throws -> Granted {
        try await UserStore.lock(sheet.subject, by: right, in: sheet.team, transaction)
        let relayAddress = sheet.choice.email == .hidden ? relay.address(random) : nil
        let people = try await transaction.query(sheet.relay(orElse: relayAddress))
        guard var person = people.first else { throw UnknownUser() }
        let user = try User(&person)
        if var row = try await transaction.query(sheet.insertion).first {
            try await sheet.event.record(in: sheet.team, transaction)
            return Granted(user: user, consent: try Consent(&row))
        }
        let standing = try await transaction.query(
            Self.selection(of: sheet.subject, for: sheet.appID, in: sheet.team)
        )
        guard var row = standing.first else { throw PostgresFailure.unreadable(column: 0, as: "a consent") }
        return Granted(user: user, consent: try Consent(&row))
    }

    private static func selection(of subject: Subject, for appID: ClientID, in team: TeamID) -> SQL {
        """
        SELECT \(columns) FROM consents c
        WHERE c.team_id = \(team) AND c.sub = \(subject) AND c.app_id = \(appID)
        """
    }
}

/// A consent sheet that was sent: who decided what about which apps, when and from where.
private struct Sheet: Sendable {
    let choice: ConsentChoice
    let subject: Subject
    let appID: ClientID
    let team: TeamID
    let origin: Origin
    let at: Timestamp

    /// Keeps the relay address the person has, or gives them this one.
    func relay(orElse address: String?) -> SQL {
        """
        UPDATE users u SET relay_address = COALESCE(relay_address, \(address))
        WHERE team_id = \(team) AND sub = \(subject)
        RETURNING \(UserStore.columns)
        """
    }

    var insertion: SQL {
        let name = choice.name ?? .none
        return """
            INSERT INTO consents AS c (
                team_id, sub, app_id, shares_name, shares_email, hides_email, given_name, family_name,
                granted_at, ip
            ) VALUES (
                \(team), \(subject), \(appID), \(choice.name != nil), \(choice.email != .withheld),
                \(choice.email == .hidden), \(name.given), \(name.family), \(at), \(origin.ip)
            )
            ON CONFLICT (team_id, sub, app_id) DO NOTHING
            RETURNING \(ConsentStore.columns)
            """
    }

    /// What was shared, by kind; the name and the address themselves stay out of the log.
    var event: AuditEvent {
        AuditEvent(
            "consent.granted",
            by: .user(subject, of: team),
            on: .user(subject),
            from: origin,
            after: [
                "appID": .string(appID.rawValue), "sharesName": .boolean(choice.name != nil),
                "email": .string("\(choice.email)"),
            ]
        )
    }
}
