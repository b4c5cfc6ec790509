public import Core
public import Crypto
public import Directory
public import Platform
public import Postgres

/// Consents of users to share data with groups of apps.
public struct ConsentStore: Sendable {
    /// Current user and the consent that is in force.
    public struct Granted: Sendable {
        public let user: User
        public let consent: Consent
    }

    /// The user is not in the team (any more).
    public struct UnknownUser: Error, Sendable {}

    /// Number of relay addresses drawn before a duplicate is treated as an error.
    private static let draws = 3

    private let database: TeamDatabase
    private let relay: RelayDomain
    private let random: RandomSource

    public init(_ database: TeamDatabase, relay: RelayDomain, random: RandomSource = .system) {
        self.database = database
        self.relay = relay
        self.random = random
    }

    /// Columns that `Consent` reads, from a table with the alias `c`.
    public static let columns: SQL = """
        c.app_id, c.shares_name, c.shares_email, c.hides_email, c.given_name, c.family_name, c.granted_at,
        c.delivered_at, c.forwards_mail, c.provider, c.upstream_email, c.is_upstream_email_verified,
        c.is_upstream_email_private
        """

    /// Consent of a user for the group of `appID`; nil if the user has not decided yet.
    public func find(of subject: Subject, for appID: ClientID, in team: TeamID) async throws(PostgresFailure)
        -> Consent?
    {
        let rows = try await database.query(Self.selection(of: subject, for: appID, in: team), in: team)
        return try rows.firstValue(Consent.init)
    }

    /// Records that `user` was delivered to an app of the group; an earlier time is kept.
    public func noteDelivery(of subject: Subject, to appID: ClientID, in team: TeamID, at now: Timestamp)
        async throws(PostgresFailure)
    {
        try await database.query(
            UpstreamConsent.delivery(to: appID, of: subject, in: team, at: now, when: "true"), in: team)
    }

    /// Stores a user's decision on the consent sheet; an existing decision is kept and returned.
    ///
    /// A user who hides the email address for the first time gets a relay address, which is permanent.
    ///
    /// - Parameter right: session in which the user decides.
    /// - Throws: `UnknownUser`, `SessionRight.Ended`, `PostgresFailure`.
    public func grant(
        _ choice: ConsentChoice, of subject: Subject, to appID: ClientID, by right: SessionRight? = nil,
        in team: TeamID, from origin: Origin, at now: Timestamp = .now()
    ) async throws -> Granted {
        let sheet = Sheet(choice: choice, subject: subject, appID: appID, team: team, origin: origin, at: now)
        var draw = 1
        while true {
            do {
                return try await database.change(by: subject, in: team, from: origin) {
                    try await record(sheet, by: right, $0)
                }
            } catch let failure as PostgresFailure
                where failure.constraint == "users_relay_address_key" && draw < Self.draws
            { draw += 1 }
        }
    }

    private func record(_ sheet: Sheet, by right: SessionRight?, _ change: borrowing Change) async throws -> Granted {
        try await UserStore.lock(sheet.subject, by: right, change)
        let relayAddress = sheet.choice.email == .hidden ? relay.address(random) : nil
        let people = try await change.query(sheet.relay(orElse: relayAddress))
        guard var person = people.first else { throw UnknownUser() }
        let user = try User(&person)
        if var row = try await change.query(sheet.insertion).first {
            try await change.record("consent.granted", .user(sheet.subject), to: sheet.auditedMembers)
            return Granted(user: user, consent: try Consent(&row))
        }
        let status = try await change.query(Self.selection(of: sheet.subject, for: sheet.appID, in: sheet.team))
        guard var row = status.first else { throw PostgresFailure.unreadable(column: 0, as: "a consent") }
        return Granted(user: user, consent: try Consent(&row))
    }

    private static func selection(of subject: Subject, for appID: ClientID, in team: TeamID) -> SQL {
        """
        SELECT \(columns) FROM consents c
        WHERE c.team_id = \(team) AND c.sub = \(subject) AND c.app_id = \(appID)
        """
    }
}

/// Submitted consent sheet: user, choice, group of apps, time and origin.
private struct Sheet: Sendable {
    let choice: ConsentChoice
    let subject: Subject
    let appID: ClientID
    let team: TeamID
    let origin: Origin
    let at: Timestamp

    /// Keeps the user's relay address, or sets `address` if there is none.
    func relay(orElse address: String?) -> SQL { UserStore.relaying(subject, by: address, in: team) }

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

    /// The kinds of shared data; the log does not contain the name and the address.
    var auditedMembers: [String: JSONValue] {
        [
            "appID": .string(appID.rawValue), "sharesName": .boolean(choice.name != nil),
            "email": .string("\(choice.email)"),
        ]
    }
}

/// Lists the apps that a user shares data with.
public struct ConsentListStore: Sendable {
    /// Most apps in a list, which shows the newest.
    public static let listLimit = 100

    private let database: TeamDatabase

    public init(_ database: TeamDatabase) { self.database = database }

    /// Consents of a user, newest first.
    public func list(of subject: Subject, in team: TeamID) async throws(PostgresFailure) -> [GrantedApp] {
        let rows = try await database.query(
            """
            SELECT \(ConsentStore.columns), a.description
            FROM consents c JOIN app_ids a ON a.team_id = c.team_id AND a.identifier = c.app_id
            WHERE c.team_id = \(team) AND c.sub = \(subject)
            ORDER BY c.granted_at DESC, c.app_id
            LIMIT \(Self.listLimit)
            """, in: team)
        var apps: [GrantedApp] = []
        for var row in rows { apps.append(GrantedApp(consent: try Consent(&row), name: try row.next())) }
        return apps
    }
}

/// Decision of a user on the consent sheet.
public struct ConsentChoice: Sendable {
    /// Name to share, edited or not; nil if the app did not request it.
    public let name: PersonName?
    public let email: Consent.EmailChoice

    public init(name: PersonName?, email: Consent.EmailChoice) {
        self.name = name
        self.email = email
    }
}

/// Data that a user shares with a group of apps: requested once, kept until the user ends it.
public struct Consent: Hashable, Sendable {
    /// Decision about the email address.
    public enum EmailChoice: Hashable, Sendable {
        /// The app did not request it.
        case withheld
        /// *Share my email*.
        case shared
        /// *Hide my email*: the app gets a relay address instead.
        case hidden
    }

    /// The primary App ID of the group.
    public let appID: ClientID
    /// Name as the user edited it; nil if the app did not request it.
    public let name: PersonName?
    public let email: EmailChoice
    public let grantedAt: Timestamp
    /// Time at which an app of the group received `user`; until then it is delivered again.
    public let deliveredAt: Timestamp?
    /// Whether mail to the relay address is forwarded to the user.
    public let forwardsMail: Bool
    /// Provider on whose consent sheet a user with a linked account decided; nil for Pippin's own sheet.
    public let provider: ProviderID?
    /// Address that the provider gave the apps, in place of the user's own.
    public let upstreamEmail: SharedIdentity.Email?
}

extension Consent {
    /// Reads the columns of `ConsentStore.columns`.
    public init(_ row: inout Row) throws(PostgresFailure) {
        appID = try row.next()
        let (sharesName, sharesEmail, hidesEmail): (Bool, Bool, Bool) = (try row.next(), try row.next(), try row.next())
        let stored = PersonName(stored: try row.next(), try row.next())
        name = sharesName ? stored : nil
        email = sharesEmail ? (hidesEmail ? .hidden : .shared) : .withheld
        grantedAt = try row.next()
        deliveredAt = try row.next()
        forwardsMail = try row.next()
        provider = try row.next()
        let address: EmailAddress? = try row.next()
        let (isVerified, isPrivate): (Bool, Bool) = (try row.next(), try row.next())
        upstreamEmail = address.map { SharedIdentity.Email(address: $0, isVerified: isVerified, isPrivate: isPrivate) }
    }
}
