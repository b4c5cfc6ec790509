import Bytes
import Directory
import Domain
import HTTP
import Web

/// How much one account may change in the console within ten minutes, and all of a team together.
///
/// What they change is kept in the audit log, before and after, for years; and the room on disk is everybody's. So a
/// form counts by its size: one, and one more for each 4 KiB. The team counts beside the account, since it may have as
/// many accounts as it invites; and of what the team may send one account has a quarter.
struct FormLimit: Sendable {
    static let most = 900
    static let mostInDay = 5000
    static let mostOfTeam = 3600
    static let mostOfTeamInDay = 20_000
    static let window = Duration.seconds(600)
    static let day = Duration.seconds(86_400)
    private static let unit = 4096

    private let limits: LimitStore

    init(_ limits: LimitStore) {
        self.limits = limits
    }

    /// Counts a form that an account has sent; what one count refuses takes nothing of the next.
    ///
    /// - Parameter team: whose form it is, too; nil for one of the account alone.
    /// - Throws: `Problem` when it is one too many, `PostgresFailure`.
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
        let count = try await limits.add(
            price,
            to: limited.subject,
            window: limited.window,
            in: team,
            at: now
        )
        guard count.value > limited.most else { return }
        let words =
            limited.isOfTeam
            ? Phrase("console.forms.limited.team", ["until": count.endsAt])
            : Phrase("console.forms.limited", ["until": count.endsAt])
        throw Self.refusal(words, count, at: now)
    }

    /// A count, and how it is told where it is used up.
    private struct Limited {
        let subject: LimitSubject
        let most: Int
        let window: Duration
        let isOfTeam: Bool
    }

    private static func own(
        _ account: Subject,
        _ kind: StaticString,
        _ most: Int,
        _ window: Duration
    ) -> Limited {
        Limited(subject: .account(kind, account.rawValue), most: most, window: window, isOfTeam: false)
    }

    private static func together(_ kind: StaticString, _ most: Int, _ window: Duration) -> Limited {
        Limited(subject: .team(kind), most: most, window: window, isOfTeam: true)
    }

    private static func refusal(_ words: Phrase, _ count: LimitStore.Count, at now: Timestamp) -> Problem {
        Problem(
            .tooManyRequests,
            Phrase("console.forms.limited.headline"),
            words,
            advice: Phrase("console.forms.limited.advice"),
            retryAfter: Int(max(1, (count.endsAt - now).components.seconds))
        )
    }
}
