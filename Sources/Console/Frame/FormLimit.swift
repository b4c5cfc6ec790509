import Bytes
import Directory
import Domain
import HTTP
import Localization
import Web

/// Limit on console forms of an account, and of all accounts of a team together, in ten minutes and in a day.
///
/// The audit log keeps the state before and after each change for years, on a disk that all teams share. So a form
/// counts by its size: one, plus one for each 4 KiB. The team has a limit in addition to the account's, because it can
/// invite any number of accounts; one account may use a quarter of the team's limit.
struct FormLimit: Sendable {
    static let most = 900
    static let mostInDay = 5000
    static let mostOfTeam = 3600
    static let mostOfTeamInDay = 20_000
    static let window = Duration.seconds(600)
    static let day = Duration.seconds(86_400)
    private static let unit = 4096

    private let limits: LimitStore

    init(_ limits: LimitStore) { self.limits = limits }

    /// Counts a form of an account; a form that exceeds one limit is not counted toward the next.
    ///
    /// - Parameter team: the team whose limits the form counts toward as well; nil for the account's limit only.
    /// - Throws: `UserFacingError` if a limit is exceeded, `PostgresFailure`.
    func charge(_ request: Request, of account: Subject, in team: TeamID?, at now: Timestamp) async throws {
        let price = 1 + request.body.count / Self.unit
        let own = Self.own(account, "console-forms", Self.most, Self.window)
        try await charge(price, own, in: .system, at: now)
        guard let team else { return }
        let counts = [
            Self.own(account, "console-forms-by", Self.mostInDay, Self.day),
            Self.together("console-forms", Self.mostOfTeam, Self.window),
            Self.together("console-forms-day", Self.mostOfTeamInDay, Self.day),
        ]
        for count in counts { try await charge(price, count, in: team, at: now) }
    }

    private func charge(_ price: Int, _ limited: Limited, in team: TeamID, at now: Timestamp) async throws {
        let count = try await limits.add(price, to: limited.subject, window: limited.window, in: team, at: now)
        guard count.value > limited.most else { return }
        let words =
            limited.isOfTeam
            ? Message("console.forms.limited.team", ["until": count.endsAt])
            : Message("console.forms.limited", ["until": count.endsAt])
        throw Self.refusal(words, count, at: now)
    }

    /// Limit of one counter, and whether the error message names the team rather than the account.
    private struct Limited {
        let subject: LimitSubject
        let most: Int
        let window: Duration
        let isOfTeam: Bool
    }

    private static func own(_ account: Subject, _ kind: StaticString, _ most: Int, _ window: Duration) -> Limited {
        Limited(subject: .account(kind, account.rawValue), most: most, window: window, isOfTeam: false)
    }

    private static func together(_ kind: StaticString, _ most: Int, _ window: Duration) -> Limited {
        Limited(subject: .team(kind), most: most, window: window, isOfTeam: true)
    }

    private static func refusal(_ words: Message, _ count: LimitStore.Count, at now: Timestamp) -> UserFacingError {
        UserFacingError(
            .tooManyRequests, Message("console.forms.limited.headline"), words,
            advice: Message("console.forms.limited.advice"),
            retryAfter: Int(max(1, (count.endsAt - now).components.seconds)))
    }
}
