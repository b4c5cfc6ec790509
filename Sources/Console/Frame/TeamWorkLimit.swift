import Bytes
import Directory
import Domain
import HTTP
import Web

/// How often a team may have something done that costs everybody: a count within a time, whichever process is asked.
struct TeamWorkLimit: Sendable {
    /// What a member reads where it is once too often.
    private struct Words: Sendable {
        let headline: Phrase
        let message: @Sendable (_ limit: Int, _ until: Timestamp) -> Phrase
        let advice: Phrase
    }

    /// How many within the time.
    let count: Int
    private let window: Duration
    private let subject: LimitSubject
    private let limits: LimitStore
    private let words: Words

    /// Exports and verifications of the whole audit log: each reads every event, and shares the database with everybody's
    /// sign-ins.
    static func audits(_ limits: LimitStore) -> TeamWorkLimit {
        TeamWorkLimit(
            count: 10,
            window: .seconds(300),
            subject: .team("audit-work"),
            limits: limits,
            words: Words(
                headline: Phrase("console.audit.limited.headline"),
                message: { Phrase("console.audit.limited", ["limit": $0, "until": $1]) },
                advice: Phrase("console.audit.limited.advice")
            )
        )
    }

    /// Uploads of a logo: each new one changes the team for every loop, and is kept ready to be sent.
    static func logos(_ limits: LimitStore) -> TeamWorkLimit {
        TeamWorkLimit(
            count: 20,
            window: .seconds(600),
            subject: .team("logo-uploads"),
            limits: limits,
            words: Words(
                headline: Phrase("console.settings.logo.limited.headline"),
                message: { Phrase("console.settings.logo.limited", ["limit": $0, "until": $1]) },
                advice: Phrase("console.settings.logo.limited.advice")
            )
        )
    }

    /// Counts one.
    ///
    /// - Throws: `Problem` when it is one too many, `PostgresFailure`.
    func charge(_ team: TeamID, at now: Timestamp) async throws {
        let wait = try await limits.charge(subject, limit: count, window: window, in: team, at: now)
        guard let wait else { return }
        throw Problem(
            .tooManyRequests,
            words.headline,
            words.message(count, now + wait),
            advice: words.advice,
            retryAfter: Int(max(1, wait.components.seconds))
        )
    }
}
