public import Bytes
public import Crypto
public import Domain
import EventLoop
public import Postgres

/// Permission to check one new password, issued when a limit is charged and consumed by the check.
///
/// A check takes up to some 60 ms of a core, and a rejected password changes nothing: without a limit, a client that
/// may choose a password could request checks without end.
public struct NewPasswordAdmission: ~Copyable, Sendable {
    /// Network address of the client; nil if the check competes with no other client.
    fileprivate let ip: String?

    fileprivate init(from ip: String? = nil) { self.ip = ip }

    /// For a file that an operator passes to a command: the input is trusted and delays no other client.
    public static var ofCommand: NewPasswordAdmission { NewPasswordAdmission() }
}

/// Checks new passwords, limited per user or link and per network.
public struct NewPasswords: Sendable {
    /// Identity under which checks are counted.
    public enum Chooser: Sendable {
        /// User with an account.
        case person(Subject)
        /// Holder of a mailed link or a setup link.
        case holder(LinkToken)
        /// Unauthenticated client, of which only the network is known.
        case stranger
    }

    /// Decision whether a password is checked.
    public enum Answer: ~Copyable, Sendable {
        case admitted(NewPasswordAdmission)
        case tooMany(retryAfter: Duration)
    }

    /// Most checks per user or link in one window: enough for several tries, and a second of a core.
    public static let perChooser = 20
    /// Most checks per network in one window: enough for an office that follows its invitations at the same time.
    public static let perNetwork = 300
    public static let window = Duration.seconds(900)

    private let limits: LimitStore
    private let hasher: PasswordHasher

    public init(_ database: TeamDatabase, hasher: PasswordHasher) {
        limits = LimitStore(database)
        self.hasher = hasher
    }

    /// Counts one password check.
    ///
    /// The user or link is charged before the network, so that a link beyond its limit uses up nothing of the
    /// network's.
    public func admit(_ chooser: Chooser, in team: TeamID, from origin: Origin, at now: Timestamp)
        async throws(PostgresFailure) -> Answer
    {
        for (subject, limit) in Self.counts(of: chooser, ip: origin.ip) {
            let wait = try await limits.charge(subject, limit: limit, window: Self.window, in: team, at: now)
            if let wait { return .tooMany(retryAfter: wait) }
        }
        return .admitted(NewPasswordAdmission(from: origin.ip))
    }

    /// Checks a password against the rules of its team.
    ///
    /// Runs off the event loops, like a hash, because a crafted text can take as long to estimate.
    public func judge(
        _ text: String, by rule: PasswordRule, for team: TeamID, with admission: consuming NewPasswordAdmission
    ) async throws(PasswordHasher.Busy) -> Result<NewPassword, NewPassword.Problem> {
        let ip = admission.ip
        _ = consume admission
        // Teams take turns in the pool; over all teams, one network leaves places to others.
        let asker = ip.map { PasswordQueue.Askers(account: nil, ip: $0) }
        if let asker, !hasher.judged.enter(asker, in: team) { throw PasswordHasher.Busy() }
        defer { if let asker { hasher.judged.leave(asker, in: team) } }
        do {
            return try await hasher.judges.run(for: team.rawValue) {
                Result { () throws(NewPassword.Problem) in try NewPassword(text, by: rule, with: NewPasswordAdmission())
                }
            }
        } catch { throw PasswordHasher.Busy() }
    }

    private static func counts(of chooser: Chooser, ip: String) -> [(subject: LimitSubject, limit: Int)] {
        let own: LimitSubject? =
            switch chooser {
            case .person(let subject): .account("new-password", "person\n\(subject.rawValue)")
            case .holder(let token): .account("new-password", "link\n\(token.text)")
            case .stranger: nil
            }
        let site = LimitSubject.site("new-password", ip)
        return (own.map { [($0, perChooser)] } ?? []) + [(.address("new-password", ip), perNetwork)]
            + (site.map { [($0, LimitSubject.addressesPerSite * perNetwork)] } ?? [])
    }
}
