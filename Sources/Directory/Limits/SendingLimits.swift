public import Bytes
public import Domain
public import Postgres

/// Holds what is sent to the limits of `Sending`, for all processes together.
public struct SendingLimits: Sendable {
    /// Who asked.
    public enum Sender: Sendable {
        /// A member or a person of the team.
        case account(Subject)
        /// Somebody who has not signed in, by the network address.
        case stranger(ip: String)
    }

    /// Who asks for a mail that anybody may ask for.
    public enum Asker: Sendable {
        /// Anybody, by the network address.
        case stranger(ip: String)
        /// A browser in which the account has signed in before, of which the caller has made sure, by its name.
        case knownBrowser(String)
    }

    private let limits: LimitStore

    public init(_ limits: LimitStore) {
        self.limits = limits
    }

    /// Counts one more, and tells how long to wait where it is one too many: then nothing may be sent.
    ///
    /// What one counter refuses does not count for the next, so that no sender uses up the team's.
    /// - Parameters:
    ///   - amount: how many it stands for, to its sender and the team.
    ///   - recipient: a mail address or the host of a server; nil where `kind` has no limit for one, or where it is
    ///     charged apart.
    public func charge(
        _ kind: Sending,
        _ amount: Int = 1,
        to recipient: String?,
        by sender: Sender,
        in team: TeamID,
        at now: Timestamp
    ) async throws(PostgresFailure) -> Duration? {
        if let wait = try await charge(kind, amount, by: sender, in: team, at: now) { return wait }
        if let recipient, let wait = try await charge(kind, to: recipient, in: team, at: now) { return wait }
        return try await charge(kind, amount, ofTeam: team, at: now)
    }

    /// Counts one more for who asks alone, where the other counts come later.
    ///
    /// - Returns: how long to wait where it is one too many.
    public func charge(
        _ kind: Sending,
        _ amount: Int = 1,
        by sender: Sender,
        in team: TeamID,
        at now: Timestamp
    ) async throws(PostgresFailure) -> Duration? {
        guard let limit = kind.perSender else { return nil }
        let subject = kind.subject(of: sender)
        if let wait = try await charge(amount, subject, limit, in: team, at: now) { return wait }
        guard let site = kind.siteSubject(of: sender) else { return nil }
        let sites = Sending.Limit(LimitSubject.addressesPerSite * limit.count, in: limit.window)
        return try await charge(amount, site, sites, in: team, at: now)
    }

    /// Counts one more for the team alone, where who asks and who gets it have been counted.
    ///
    /// - Returns: how long to wait where it is one too many.
    public func charge(
        _ kind: Sending,
        _ amount: Int = 1,
        ofTeam team: TeamID,
        at now: Timestamp
    ) async throws(PostgresFailure) -> Duration? {
        guard let limit = kind.perTeam else { return nil }
        return try await charge(amount, kind.teamSubject, limit, in: team, at: now)
    }

    /// How long to wait until the team has one left; nil when it has.
    ///
    /// It counts nothing. Asked first, it spares the counts that come before the team's what leads to no mail.
    public func wait(
        for kind: Sending,
        ofTeam team: TeamID,
        at now: Timestamp
    ) async throws(PostgresFailure) -> Duration? {
        guard let limit = kind.perTeam else { return nil }
        return try await limits.wait(
            for: [(kind.teamSubject, limit.count)],
            window: limit.window,
            in: team,
            at: now
        )
    }

    /// Counts a mail that a stranger asks for to its team, and tells whether it may be sent.
    ///
    /// One that nobody is to get has a count of its own, by the same statement: it uses up nothing of the team's, and takes
    /// as long.
    public func admits(
        _ kind: Sending,
        toSomebody isReal: Bool,
        in team: TeamID,
        at now: Timestamp
    ) async throws(PostgresFailure) -> Bool {
        guard let limit = kind.perTeam else { return true }
        let subject = isReal ? kind.teamSubject : LimitSubject.team("decoy")
        return try await charge(1, subject, limit, in: team, at: now) == nil
    }

    /// Counts one more for its recipient alone.
    public func charge(
        _ kind: Sending,
        to recipient: String,
        in team: TeamID,
        at now: Timestamp
    ) async throws(PostgresFailure) -> Duration? {
        guard let limit = kind.perRecipient else { return nil }
        let place = kind.isCountedOverTeams ? TeamID.system : team
        let subject = kind.subject(of: recipient)
        if let wait = try await charge(1, subject, limit, in: place, at: now) { return wait }
        guard let all = kind.perServerOverTeams else { return nil }
        return try await charge(1, kind.subject(ofServer: recipient), all, in: .system, at: now)
    }

    /// Counts one more for its recipient, in the transaction that it is about, and tells whether it may be sent.
    ///
    /// Towards its end, beside the outbox (decision 21).
    public static func admits(
        _ kind: Sending,
        to recipient: String,
        in team: TeamID,
        at now: Timestamp,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) -> Bool {
        guard let limit = kind.perRecipient else { return true }
        let count = try await LimitStore.add(
            to: kind.subject(of: recipient),
            window: limit.window,
            in: team,
            at: now,
            transaction
        )
        return count.value <= limit.count
    }

    /// Counts one more for a mailbox to which anybody may have it sent: for who asks, and over all who do.
    ///
    /// A browser that the account knows has a count of its own, and all of those together have one: strangers use up
    /// neither.
    public func charge(
        _ kind: Sending,
        to recipient: String,
        askedBy asker: Asker,
        in team: TeamID,
        at now: Timestamp
    ) async throws(PostgresFailure) -> Duration? {
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

    /// Gives out the team's next turn at a server.
    ///
    /// A turn that was given out is good without another count, so that each is waited for once.
    /// - Returns: when it is; not after `now` for one that may be had at once.
    public func turn(
        of kind: Sending,
        at host: String,
        in team: TeamID,
        at now: Timestamp
    ) async throws(PostgresFailure) -> Timestamp {
        guard let limit = kind.perRecipient else { return now }
        let turn = try await limits.turn(
            of: kind.subject(of: host),
            every: limit.window / limit.count,
            window: limit.window,
            in: team,
            at: now
        )
        return max(turn, now)
    }

    /// Counts one more for a server over all teams, once the team's own turn has come: who waits for that takes nothing of
    /// the others'.
    ///
    /// - Returns: how long to wait where it is one too many.
    public func charge(
        _ kind: Sending,
        ofAllTeamsAt host: String,
        at now: Timestamp
    ) async throws(PostgresFailure) -> Duration? {
        guard let all = kind.perServerOverTeams else { return nil }
        return try await charge(1, kind.subject(ofServer: host), all, in: .system, at: now)
    }

    private func charge(
        _ amount: Int,
        _ subject: LimitSubject,
        _ limit: Sending.Limit,
        in team: TeamID,
        at now: Timestamp
    ) async throws(PostgresFailure) -> Duration? {
        let count = try await limits.add(amount, to: subject, window: limit.window, in: team, at: now)
        return count.value > limit.count ? count.endsAt - now : nil
    }
}

extension Sending {
    /// Whether its recipients are people who may be asked to join many teams.
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
        case .testNotice: .team("test-notice")
        case .notice: .team("notice")
        case .registryCheck: .team("registry-check")
        case .checkup: .team("checkup")
        case .appleTest: .team("apple-test")
        }
    }

    fileprivate func subject(of recipient: String) -> LimitSubject {
        let name = recipient.lowercased()
        return switch self {
        // What anybody may ask for uses up nothing of what members and people have sent.
        case .registration, .passwordReset: .account("mail-asked", name)
        case .emailChange: .account("mail", name)
        case .userInvitation: .account("user-invitation", name)
        case .memberInvitation: .account("member-invitation", name)
        case .newSignIn: .account("new-sign-in", name)
        case .accountChange: .account("account-change", name)
        case .testNotice: .account("test-notice", name)
        case .notice: .account("notice", name)
        case .registryCheck: .account("registry-check", name)
        case .checkup: .account("checkup", name)
        case .appleTest: .account("apple-test", name)
        }
    }

    /// Of a server over all teams.
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

    /// Nil for who is no stranger, and for an address of IPv4.
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
