public import Bytes
public import Domain
public import Postgres

/// Enforces the limits of `Sending`, for all processes together.
public struct SendingLimits: Sendable {
    /// Sender of a message.
    public enum Sender: Sendable {
        /// Member or user of the team.
        case account(Subject)
        /// Unauthenticated client, by its network address.
        case stranger(ip: String)
    }

    /// Requester of a mail that needs no authentication.
    public enum Asker: Sendable {
        /// Unauthenticated client, by its network address.
        case stranger(ip: String)
        /// Browser in which the account has signed in before, by its ID; the caller has verified it.
        case knownBrowser(String)
    }

    private let limits: LimitStore

    public init(_ limits: LimitStore) { self.limits = limits }

    /// Counts a message; returns the time to wait if it is beyond a limit and must not be sent.
    ///
    /// A counter that rejects stops the later ones, so that no sender uses up the team's limit.
    ///
    /// - Parameters:
    ///   - amount: number counted for the sender and the team.
    ///   - recipient: mail address or host of a server; nil if `kind` has no limit for one, or it is charged
    ///     separately.
    public func charge(
        _ kind: Sending, _ amount: Int = 1, to recipient: String?, by sender: Sender, in team: TeamID, at now: Timestamp
    ) async throws(PostgresFailure) -> Duration? {
        if let wait = try await charge(kind, amount, by: sender, in: team, at: now) { return wait }
        if let recipient, let wait = try await charge(kind, to: recipient, in: team, at: now) { return wait }
        return try await charge(kind, amount, ofTeam: team, at: now)
    }

    /// Counts a message for its sender alone, if the other counters are charged later.
    ///
    /// - Returns: time to wait if it is beyond the limit; otherwise nil.
    public func charge(_ kind: Sending, _ amount: Int = 1, by sender: Sender, in team: TeamID, at now: Timestamp)
        async throws(PostgresFailure) -> Duration?
    {
        guard let limit = kind.perSender else { return nil }
        let subject = kind.subject(of: sender)
        if let wait = try await charge(amount, subject, limit, in: team, at: now) { return wait }
        guard let site = kind.siteSubject(of: sender) else { return nil }
        let sites = Sending.Limit(LimitSubject.addressesPerSite * limit.count, in: limit.window)
        return try await charge(amount, site, sites, in: team, at: now)
    }

    /// Counts a message for the team alone, after its sender and recipient have been charged.
    ///
    /// - Returns: time to wait if it is beyond the limit; otherwise nil.
    public func charge(_ kind: Sending, _ amount: Int = 1, ofTeam team: TeamID, at now: Timestamp)
        async throws(PostgresFailure) -> Duration?
    {
        guard let limit = kind.perTeam else { return nil }
        return try await charge(amount, kind.teamSubject, limit, in: team, at: now)
    }

    /// Time to wait until the team's limit allows a message; nil if it does now.
    ///
    /// Counts nothing. Checked first, it spares the other counters from requests that lead to no mail.
    public func wait(for kind: Sending, ofTeam team: TeamID, at now: Timestamp) async throws(PostgresFailure)
        -> Duration?
    {
        guard let limit = kind.perTeam else { return nil }
        return try await limits.wait(for: [(kind.teamSubject, limit.count)], window: limit.window, in: team, at: now)
    }

    /// Counts a mail that an unauthenticated client requests for its team, and returns whether it may be sent.
    ///
    /// Mail without a recipient has its own counter, charged by the same statement: it uses up nothing of the team's
    /// limit and takes as long.
    public func admits(_ kind: Sending, toSomebody isReal: Bool, in team: TeamID, at now: Timestamp)
        async throws(PostgresFailure) -> Bool
    {
        guard let limit = kind.perTeam else { return true }
        let subject = isReal ? kind.teamSubject : LimitSubject.team("decoy")
        return try await charge(1, subject, limit, in: team, at: now) == nil
    }

    /// Counts a message for its recipient alone.
    public func charge(_ kind: Sending, to recipient: String, in team: TeamID, at now: Timestamp)
        async throws(PostgresFailure) -> Duration?
    {
        guard let limit = kind.perRecipient else { return nil }
        let place = kind.isCountedOverTeams ? TeamID.system : team
        let subject = kind.subject(of: recipient)
        if let wait = try await charge(1, subject, limit, in: place, at: now) { return wait }
        guard let all = kind.perServerOverTeams else { return nil }
        return try await charge(1, kind.subject(ofServer: recipient), all, in: .system, at: now)
    }

    /// Counts a message for its recipient in the caller's transaction, and returns whether it may be sent.
    ///
    /// To be run towards the end of the transaction, beside the outbox (decision 21).
    public static func admits(
        _ kind: Sending, to recipient: String, in team: TeamID, at now: Timestamp, _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) -> Bool {
        guard let limit = kind.perRecipient else { return true }
        let count = try await LimitStore.add(
            to: kind.subject(of: recipient), window: limit.window, in: team, at: now, transaction)
        return count.value <= limit.count
    }

    /// Counts a mail that needs no authentication for its recipient: per requester, and over all requesters.
    ///
    /// Each browser that the account knows has its own counter, and all of them share one; unauthenticated clients use
    /// up neither.
    public func charge(_ kind: Sending, to recipient: String, askedBy asker: Asker, in team: TeamID, at now: Timestamp)
        async throws(PostgresFailure) -> Duration?
    {
        guard let limit = kind.perRecipient else { return nil }
        let subject = kind.subject(of: recipient, askedBy: asker)
        if let wait = try await charge(1, subject, limit, in: team, at: now) { return wait }
        guard let all = kind.perRecipientOverAll else { return nil }
        let together: LimitSubject =
            switch asker {
            case .stranger: kind.subject(of: recipient)
            case .knownBrowser: .account("mail-known", recipient.lowercased())
            }
        return try await charge(1, together, all, in: team, at: now)
    }

    /// Reserves the team's next turn at a server.
    ///
    /// A reserved turn is valid without another count, so that each message waits once.
    ///
    /// - Returns: time of the turn; `now` if it may be taken at once.
    public func turn(of kind: Sending, at host: String, in team: TeamID, at now: Timestamp)
        async throws(PostgresFailure) -> Timestamp
    {
        guard let limit = kind.perRecipient else { return now }
        let turn = try await limits.turn(
            of: kind.subject(of: host), every: limit.window / limit.count, window: limit.window, in: team, at: now)
        return max(turn, now)
    }

    /// Counts a message for a server over all teams, once the team's own turn has come.
    ///
    /// A team that waits for its turn uses up nothing of the others'.
    ///
    /// - Returns: time to wait if it is beyond the limit; otherwise nil.
    public func charge(_ kind: Sending, ofAllTeamsAt host: String, at now: Timestamp) async throws(PostgresFailure)
        -> Duration?
    {
        guard let all = kind.perServerOverTeams else { return nil }
        return try await charge(1, kind.subject(ofServer: host), all, in: .system, at: now)
    }

    private func charge(
        _ amount: Int, _ subject: LimitSubject, _ limit: Sending.Limit, in team: TeamID, at now: Timestamp
    ) async throws(PostgresFailure) -> Duration? {
        let count = try await limits.add(amount, to: subject, window: limit.window, in: team, at: now)
        return count.value > limit.count ? count.endsAt - now : nil
    }
}

extension Sending {
    /// Whether recipients may be invited by many teams and so are counted over all of them.
    fileprivate var isCountedOverTeams: Bool { self == .memberInvitation }

    fileprivate var teamSubject: LimitSubject {
        switch self {
        case .registration: .team("registration")
        case .passwordReset: .team("recovery")
        case .emailChange: .team("email-change")
        case .userInvitation: .team("user-invitation")
        case .memberInvitation: .team("member-invitation")
        case .newSignIn: .team("new-sign-in")
        case .accountChange: .team("account-change")
        case .testNotification: .team("test-notice")
        case .notification: .team("notice")
        case .registryCheck: .team("registry-check")
        case .checkup: .team("checkup")
        case .appleTest: .team("apple-test")
        }
    }

    fileprivate func subject(of recipient: String) -> LimitSubject {
        let name = recipient.lowercased()
        return switch self {
        // Mail that unauthenticated clients may request uses up nothing of what members and users send.
        case .registration, .passwordReset: .account("mail-asked", name)
        case .emailChange: .account("mail", name)
        case .userInvitation: .account("user-invitation", name)
        case .memberInvitation: .account("member-invitation", name)
        case .newSignIn: .account("new-sign-in", name)
        case .accountChange: .account("account-change", name)
        case .testNotification: .account("test-notice", name)
        case .notification: .account("notice", name)
        case .registryCheck: .account("registry-check", name)
        case .checkup: .account("checkup", name)
        case .appleTest: .account("apple-test", name)
        }
    }

    /// Counter of a server over all teams.
    fileprivate func subject(ofServer host: String) -> LimitSubject {
        .account("server", "\(rawValue)\n\(host.lowercased())")
    }

    fileprivate func subject(of recipient: String, askedBy asker: SendingLimits.Asker) -> LimitSubject {
        let name = recipient.lowercased()
        return switch asker {
        case .stranger(let ip): .account("mail-from", "\(name)\n\(LimitSubject.siteOrNetwork(ip))")
        case .knownBrowser(let browser): .account("mail-from", "\(name)\nbrowser\n\(browser)")
        }
    }

    /// Counter of the sender's IPv6 site; nil for an authenticated sender and for an IPv4 address.
    fileprivate func siteSubject(of sender: SendingLimits.Sender) -> LimitSubject? {
        switch (self, sender) {
        case (.passwordReset, .stranger(let ip)): .site("recovery", ip)
        case (_, .stranger(let ip)): .site("registration", ip)
        case (_, .account): nil
        }
    }

    fileprivate func subject(of sender: SendingLimits.Sender) -> LimitSubject {
        switch (self, sender) {
        case (.passwordReset, .stranger(let ip)): .address("recovery", ip)
        case (_, .stranger(let ip)): .address("registration", ip)
        case (.emailChange, .account(let subject)): .account("mail-by", subject.rawValue)
        case (.memberInvitation, .account(let subject)): .account("member-invitations-by", subject.rawValue)
        case (.registryCheck, .account(let subject)): .account("registry-checks-by", subject.rawValue)
        case (.checkup, .account(let subject)): .account("checkups-by", subject.rawValue)
        case (.appleTest, .account(let subject)): .account("apple-tests-by", subject.rawValue)
        case (_, .account(let subject)): .account("sent-by", subject.rawValue)
        }
    }
}
