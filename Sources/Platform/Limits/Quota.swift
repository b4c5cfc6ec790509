public import Postgres

/// A limit on how many rows of a kind one parent has.
///
/// It holds exactly, because the parent's row is locked while one more is added. Where the rows have ranks, a unique key
/// and a CHECK of the schema hold it as well.
public struct Quota: Hashable, Sendable {
    /// What is counted, for the table in `docs/limits.md`.
    public let subject: String
    public let parent: String
    public let count: Int

    private init(_ subject: String, of parent: String, _ count: Int) {
        self.subject = subject
        self.parent = parent
        self.count = count
    }

    /// Whether `rows` have room for so many more.
    ///
    /// - Parameter rows: what follows FROM, such as `app_ids WHERE team_id = …`.
    public func hasRoom(for added: Int = 1, beside rows: SQL, _ change: borrowing Change) async throws(PostgresFailure)
        -> Bool
    {
        let found = try await change.query("SELECT count(*) FROM (SELECT FROM \(rows) LIMIT \(count + 1)) AS known")
        return try found.only { (row: inout Row) throws(PostgresFailure) in try row.next(Int.self) + added <= count }
    }

    /// A table to select FROM, with the lowest `rank` that is free; without a row when all are taken.
    ///
    /// - Parameter siblings: what follows FROM, such as `email_sources WHERE team_id = …`.
    public func freeRank(beside siblings: SQL) -> SQL {
        """
        (
            SELECT min(rank) AS rank
            FROM (SELECT generate_series(1, \(count)) AS rank EXCEPT SELECT rank FROM \(siblings)) AS candidates
            HAVING min(rank) IS NOT NULL
        ) AS free
        """
    }
}

// All stocks.
extension Quota {
    /// Each event loop keeps the whole registry of the teams it serves.
    ///
    /// Companies with the most apps have a few hundred, and a company may have several teams.
    public static let appIDs = Quota("App IDs", of: "team", 500)
    public static let serviceIDs = Quota("Service IDs", of: "App ID", 5)
    public static let returnURLs = Quota("return URLs", of: "Service ID", 10)
    public static let teamReturnURLs = Quota("return URLs of all Service IDs", of: "team", 5000)
    public static let domains = Quota("domains", of: "Service ID", 100)
    /// A domain counts for each Service ID that names it.
    public static let teamDomains = Quota("domains of all Service IDs", of: "team", 2000)
    public static let activeKeys = Quota("active keys", of: "primary App ID", 2)
    /// A team may issue and revoke keys without limit, and the audit log records all of them.
    public static let revokedKeys = Quota("revoked keys that are kept", of: "primary App ID", 50)
    public static let appleKeys = Quota("keys from Apple", of: "primary App ID", 2)
    public static let emailSources = Quota("email sources", of: "team", 100)
    public static let selectors = Quota("DKIM selectors", of: "email source", 5)

    /// They are in the lists of the other team.
    public static let offersToTeam = Quota("App IDs offered to one team within a day", of: "team", 20)
    public static let offers = Quota("App IDs offered that wait for an answer", of: "team", 20)
    public static let offersADay = Quota("App IDs offered within a day", of: "team", 100)
    /// As many accepted by others end a team's offers for the day, because accepted transfers are kept for long.
    public static let acceptedADay = Quota("App IDs accepted within a day", of: "team", 100)

    /// The page that lists members is rendered on threads that serve other teams, too.
    public static let members = Quota("members", of: "team", 500)
    /// Each is an email to an address that did not ask for it.
    public static let invitations = Quota("open invitations of members", of: "team", 100)
    public static let userInvitations = Quota("open invitations of users", of: "team", 100)

    /// Beyond them the oldest end.
    public static let sessions = Quota("sessions", of: "user", 200)
    /// Of all apps, live or revoked; checked now and then.
    public static let refreshTokens = Quota("refresh tokens", of: "user", 2000)
    public static let passkeys = Quota("passkeys", of: "user", 20)

    /// Some more are kept until the next trim.
    public static let upstreamTokens = Quota("tokens of a provider", of: "user and primary App ID", 100)
    /// Names that a provider told, kept until the sign-in has ended.
    ///
    /// A client with an old code or token of the provider may announce it repeatedly with different names, which cannot
    /// be checked while the provider does not respond. The first names are kept, so that later ones cannot displace the
    /// true one.
    public static let announcedNames = Quota("names that a provider told", of: "user and primary App ID", 5)
    /// As many as an outage of Apple of hours leaves at a busy team.
    public static let unsettledRequests = Quota("unfinished sign-ins at a provider", of: "team", 10000)
    /// A client ID suffices to have one stored, which cannot be verified yet.
    public static let waitingNotifications = Quota("notifications of a provider that wait", of: "team", 1000)
    /// A share, so that no network that invents them fills the places of all.
    public static let waitingOfNetwork = Quota("notifications of a provider that wait", of: "team and network", 250)
}
