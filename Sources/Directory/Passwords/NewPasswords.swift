public import Bytes
public import Crypto
public import Domain
import EventLoop
public import Postgres

/// Leave to judge one new password: given by a count that was made, and used up by the judging.
///
/// To judge one takes up to some 60 ms of a core, and a refused one changes nothing: without a count anybody who may
/// choose a password could ask for that as often as they like.
public struct NewPasswordAdmission: ~Copyable, Sendable {
    /// Where it is chosen from; nil where nobody else waits for its place.
    fileprivate let ip: String?

    fileprivate init(from ip: String? = nil) {
        self.ip = ip
    }

    /// For a file that an operator gives to a command: no stranger asks for it, and it keeps nobody waiting.
    public static var ofCommand: NewPasswordAdmission { NewPasswordAdmission() }
}

/// Judges new passwords: as many as who chooses one, and the network they come from, may have judged.
public struct NewPasswords: Sendable {
    /// Who chooses a password.
    public enum Chooser: Sendable {
        /// Somebody who has an account.
        case person(Subject)
        /// Whoever holds a mailed link or one of the set-up.
        case holder(LinkToken)
        /// Somebody of whom nothing but the network is known.
        case stranger
    }

    /// Whether a password is judged.
    public enum Answer: ~Copyable, Sendable {
        case admitted(NewPasswordAdmission)
        case tooMany(retryAfter: Duration)
    }

    /// Enough for somebody who tries what they know, and a second of a core.
    public static let perChooser = 20
    /// Enough for an office that follows its invitations in one quarter of an hour.
    public static let perNetwork = 300
    public static let window = Duration.seconds(900)

    private let limits: LimitStore
    private let hasher: PasswordHasher

    public init(_ database: TeamDatabase, hasher: PasswordHasher) {
        limits = LimitStore(database)
        self.hasher = hasher
    }

    /// Counts one password more that is to be judged.
    ///
    /// Who chooses it before the network: a link with too many uses up nothing of those beside it.
    public func admit(
        _ chooser: Chooser,
        in team: TeamID,
        from origin: Origin,
        at now: Timestamp
    ) async throws(PostgresFailure) -> Answer {
        for (subject, limit) in Self.counts(of: chooser, ip: origin.ip) {
            let wait = try await limits.charge(subject, limit: limit, window: Self.window, in: team, at: now)
            if let wait { return .tooMany(retryAfter: wait) }
        }
        return .admitted(NewPasswordAdmission(from: origin.ip))
    }

    /// Judges a password by the rules of its team.
    ///
    /// Off the loops, like a hash: a text can be made so that to estimate it takes as long as one.
    public func judge(
        _ text: String,
        by rule: PasswordRule,
        for team: TeamID,
        with admission: consuming NewPasswordAdmission
    ) async throws(PasswordHasher.Busy) -> Result<NewPassword, NewPassword.Problem> {
        let ip = admission.ip
        _ = consume admission
        // Teams take turns; over all of them a network leaves places to others.
        let asker = ip.map { PasswordPlaces.Askers(account: nil, ip: $0) }
        if let asker, !hasher.judged.enter(asker, in: team) { throw PasswordHasher.Busy() }
        defer { if let asker { hasher.judged.leave(asker, in: team) } }
        do {
            return try await hasher.judges.run(for: team.rawValue) {
                Result { () throws(NewPassword.Problem) in
                    try NewPassword(text, by: rule, with: NewPasswordAdmission())
                }
            }
        } catch {
            throw PasswordHasher.Busy()
        }
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
