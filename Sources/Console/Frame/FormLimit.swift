import Bytes
import Directory
import Domain
import HTTP
import Web

/// How much one account may change in the console within ten minutes, and all of a team together.
///
/// What they change is kept in the audit log, before and after, for years; and the room on disk is everybody's. So a
/// form counts by its size: one, and one more for each 4 KiB. The team counts beside the account, since it may have as
/// many accounts as it invites.
struct FormLimit: Sendable {
    static let most = 1200
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
        let own = try await limits.add(
            price,
            to: .account("console-forms", account.rawValue),
            window: Self.window,
            in: .system,
            at: now
        )
        if own.value > Self.most {
            throw Self.refusal(Phrase("console.forms.limited", ["until": own.endsAt]), own, at: now)
        }
        guard let team else { return }
        for (subject, most, window) in Self.ofTeam {
            let count = try await limits.add(price, to: subject, window: window, in: team, at: now)
            guard count.value > most else { continue }
            throw Self.refusal(Phrase("console.forms.limited.team", ["until": count.endsAt]), count, at: now)
        }
    }

    private static let ofTeam: [(subject: LimitSubject, most: Int, window: Duration)] = [
        (.team("console-forms"), mostOfTeam, window), (.team("console-forms-day"), mostOfTeamInDay, day),
    ]

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
