public import Core
import Crypto
import Glibc
public import Postgres
import Synchronization

/// The counts of one process, in front of those in the database.
///
/// A process adds its count to the shared one after each thirty-second of a limit, so that a key with few uses costs no
/// statement; two processes exceed a limit together by no more than a sixteenth. A limit below 64 is exact. What is
/// known to be used up is refused here; an exact limit is always asked in the database, because its counts are taken back.
public final class LimitCounts: Sendable {
    private struct Counter: Hashable {
        let team: TeamID
        let limit: RateLimit
        let key: LimitKey
    }

    private struct Tally {
        var endsAt: Timestamp
        /// Count of all processes, as far as this process knows.
        var total = 0
        /// Part of `total` that is not in the database yet.
        var pending = 0
        /// Part that is on its way there.
        var underWay = 0
    }

    private struct State {
        var tallies: [Counter: Tally] = [:]
        var refusals: [String: Int] = [:]
    }

    /// Most counters in memory; beyond it all are forgotten, with what is not in the database.
    private static let capacity = 50_000

    private let adjusted: [String: Int]
    private let state = Mutex(State())

    /// - Parameter adjusted: numbers in place of those of the table, by the names of the limits.
    public init(adjusted: [String: Int] = [:]) { self.adjusted = adjusted }

    /// Most uses of a limit within its window.
    public func most(of limit: RateLimit) -> Int { adjusted[limit.name] ?? limit.count }

    /// Number of refusals since the start, by the name of the limit.
    public var refusals: [String: Int] { state.withLock { $0.refusals } }

    /// Counts uses, and returns those to add to the database now.
    ///
    /// - Throws: `TooManyRequests`, and counts nothing, if one of the limits is known to be used up.
    func add(_ uses: [RateLimit.Use], in team: TeamID, at now: Timestamp) throws(TooManyRequests) -> [RateLimit.Use] {
        try state.withLock { (state: inout State) throws(TooManyRequests) in
            try check(uses.filter { share(of: $0.limit) > 1 }, team, now, &state)
            return uses.compactMap { use in
                // An exact limit is counted in the database alone.
                guard share(of: use.limit) > 1 else { return use }
                return change(use, team, now, &state) { tally in
                    tally.total += use.amount
                    tally.pending += use.amount
                    // What is under way is not known to others yet, so it counts towards the share.
                    guard tally.pending + tally.underWay >= share(of: use.limit) || tally.total > most(of: use.limit)
                    else { return nil }
                    let due = RateLimit.Use(use.limit, by: use.key, tally.pending)
                    tally.underWay += tally.pending
                    tally.pending = 0
                    return due
                }
            }
        }
    }

    /// Takes over a shared count that includes `use`; nil if the database did not count it.
    ///
    /// - Throws: `TooManyRequests` if it is beyond the limit.
    func learn(_ shared: (count: Int, endsAt: Timestamp)?, of use: RateLimit.Use, in team: TeamID, at now: Timestamp)
        throws(TooManyRequests)
    {
        try state.withLock { (state: inout State) throws(TooManyRequests) in
            if share(of: use.limit) > 1 {
                change(use, team, now, &state) { tally in
                    tally.underWay = max(0, tally.underWay - use.amount)
                    if let shared { (tally.total, tally.endsAt) = (shared.count + tally.pending, shared.endsAt) }
                }
            }
            guard let shared, shared.count > most(of: use.limit) else { return }
            throw refusal(of: use.limit, until: shared.endsAt, at: now, &state)
        }
    }

    /// Counts uses in this process alone; false if one of the limits is used up, and then counts nothing.
    public func isWithin(_ uses: [RateLimit.Use], in team: TeamID, at now: Timestamp) -> Bool {
        state.withLock { state in
            do throws(TooManyRequests) { try check(uses, team, now, &state) } catch { return false }
            for use in uses { change(use, team, now, &state) { $0.total += use.amount } }
            return true
        }
    }

    /// - Throws: `TooManyRequests` for the first limit that is known to be used up.
    private func check(_ uses: [RateLimit.Use], _ team: TeamID, _ now: Timestamp, _ state: inout State)
        throws(TooManyRequests)
    {
        if state.tallies.count > Self.capacity { state.tallies.removeAll(keepingCapacity: true) }
        for use in uses {
            guard let tally = state.tallies[counter(use, team)], tally.endsAt > now, tally.total >= most(of: use.limit)
            else { continue }
            throw refusal(of: use.limit, until: tally.endsAt, at: now, &state)
        }
    }

    /// Changes the tally of the current window, in place.
    private func change<Result>(
        _ use: RateLimit.Use, _ team: TeamID, _ now: Timestamp, _ state: inout State, by change: (inout Tally) -> Result
    ) -> Result {
        func current(_ tally: inout Tally) -> Result {
            if tally.endsAt <= now { tally = Tally(endsAt: now + use.limit.window) }
            return change(&tally)
        }
        return current(&state.tallies[counter(use, team), default: Tally(endsAt: now)])
    }

    /// Takes uses back that were counted at `now`, and returns those to take back in the database.
    func remove(_ uses: [RateLimit.Use], in team: TeamID, at now: Timestamp) -> [RateLimit.Use] {
        state.withLock { state in
            uses.compactMap { use in
                guard var tally = state.tallies[counter(use, team)] else { return use }
                guard tally.endsAt > now, tally.endsAt <= use.limit.latestEnd(at: now) else { return nil }
                tally.total = max(0, tally.total - use.amount)
                let local = min(tally.pending, use.amount)
                tally.pending -= local
                state.tallies[counter(use, team)] = tally
                return local == use.amount ? nil : RateLimit.Use(use.limit, by: use.key, use.amount - local)
            }
        }
    }

    /// Uses that a process counts before it adds them to the shared count.
    private func share(of limit: RateLimit) -> Int { most(of: limit) / 32 }

    private func counter(_ use: RateLimit.Use, _ team: TeamID) -> Counter {
        Counter(team: team, limit: use.limit, key: use.key)
    }

    private func refusal(of limit: RateLimit, until end: Timestamp, at now: Timestamp, _ state: inout State)
        -> TooManyRequests
    {
        state.refusals[limit.name, default: 0] += 1
        return TooManyRequests(limit: limit, wait: end - now)
    }
}

/// Key of a count: the network, account or other owner that uses a limit.
public struct LimitKey: Hashable, Sendable {
    private let scope: RateLimit.Scope
    private let text: String

    /// A long text is hashed, so that no key takes more memory than another.
    private init(_ scope: RateLimit.Scope, _ parts: String...) {
        self.scope = scope
        let joined = parts.joined(separator: "\n")
        text = joined.utf8.count <= 128 ? joined : Base64URL.encode(SHA256.hash(joined))
    }

    /// Key in the table: hashed, because rows outlive the request and a name may be any text.
    var stored: String { scope == .team ? scope.rawValue : "\(scope.rawValue).\(Base64URL.encode(SHA256.hash(text)))" }

    /// Network of a customer: an IPv4 address, or the 56-bit prefix of an IPv6 address (RFC 6177).
    public static func network(_ ip: String) -> LimitKey { LimitKey(.network, networkPrefix(of: ip)) }
    public static func account(_ subject: Subject) -> LimitKey { LimitKey(.account, subject.rawValue) }
    /// An account by the login name that was entered, which may be no account's.
    ///
    /// - Parameter knownBrowser: secret of a browser in which the account has signed in before, with its own count.
    public static func login(_ name: String, knownBrowser: String? = nil) -> LimitKey {
        LimitKey(.account, "login", name, knownBrowser ?? "")
    }
    public static func session(_ id: String) -> LimitKey { LimitKey(.session, id) }
    public static func signIn(_ id: String, of subject: Subject) -> LimitKey { LimitKey(.signIn, subject.rawValue, id) }
    public static func client(_ id: ClientID) -> LimitKey { LimitKey(.client, id.rawValue) }
    /// - Parameters:
    ///   - cause: why the mail is sent, where one cause must leave room for another.
    ///   - asker: network or known browser that asked for it, so that nobody else uses up what the owner may ask for.
    public static func recipient(_ address: String, for cause: MailCause, askedBy asker: String = "") -> LimitKey {
        LimitKey(.recipient, cause.rawValue, asker, address.lowercased())
    }
    public static func host(_ name: String) -> LimitKey { LimitKey(.host, name.lowercased()) }
    public static var team: LimitKey { LimitKey(.team) }
    public static func cause(_ name: String) -> LimitKey { LimitKey(.cause, name) }

    /// Causes of mail with a count of their own, so that what strangers ask for suppresses no alert and no invitation.
    public enum MailCause: String, Sendable {
        /// Somebody asked for it who is not signed in.
        case request
        /// A member or a user sent it.
        case sender
        /// A new browser has signed in.
        case alert
        /// The account was changed.
        case change
    }

    /// An IPv4 address, or the first 56 bits of an IPv6 address in hexadecimal.
    public static func networkPrefix(of ip: String) -> String {
        var address = in6_addr()
        guard unsafe inet_pton(AF_INET6, ip, &address) == 1 else { return ip.cut(toOctets: 64) }
        let octets = unsafe withUnsafeBytes(of: address) { unsafe [UInt8]($0) }
        // An IPv4 address in IPv6 notation (RFC 4291 section 2.5.5.2).
        if octets[..<10].allSatisfy({ $0 == 0 }), octets[10] == 0xFF, octets[11] == 0xFF {
            return octets[12...].map { String($0) }.joined(separator: ".")
        }
        return Hex.encode(octets[..<7])
    }
}

/// A limit on how many rows of a kind one parent has.
///
/// It holds exactly, because the parent's row is locked while one more is added. Where the rows have slots, a unique key
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
    public func hasRoom(for added: Int = 1, beside rows: SQL, _ transaction: borrowing Transaction)
        async throws(PostgresFailure) -> Bool
    {
        let found = try await transaction.query(
            "SELECT count(*) FROM (SELECT FROM \(rows) LIMIT \(count + 1)) AS known")
        return try found.only { (row: inout Row) throws(PostgresFailure) in try row.next(Int.self) + added <= count }
    }

    /// A table to select FROM, with the lowest `slot` that is free; without a row when all are taken.
    ///
    /// - Parameter siblings: what follows FROM, such as `email_sources WHERE team_id = …`.
    public func freeSlot(beside siblings: SQL) -> SQL {
        """
        (
            SELECT min(slot) AS slot
            FROM (SELECT generate_series(1, \(count)) AS slot EXCEPT SELECT slot FROM \(siblings)) AS candidates
            HAVING min(slot) IS NOT NULL
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
    public static let unsettledRequests = Quota("answers of a provider that nobody came for", of: "team", 10000)
    /// A client ID suffices to have one stored, which cannot be verified yet.
    public static let waitingNotifications = Quota("notifications of a provider that wait", of: "team", 1000)
}

extension Transaction {
    /// Locks a team until the transaction ends, so that each of several concurrent additions counts those before it.
    ///
    /// It is the first lock of its transaction, so that no two of them deadlock.
    public func lock(_ team: TeamID) async throws(PostgresFailure) {
        try await query("SELECT FROM teams WHERE team_id = \(team) FOR NO KEY UPDATE")
    }
}
