import Bytes
import Directory
import Domain
import HTTP
import Localization
import Web

/// Limit on a team's use of an operation that takes resources from other teams, across all processes.
struct TeamWorkLimit: Sendable {
    /// Texts of the error that a member gets when the limit is exceeded.
    private struct Explanation: Sendable {
        let headline: Message
        let message: @Sendable (_ limit: Int, _ until: Timestamp) -> Message
        let advice: Message
    }

    /// Maximum number within the window.
    let count: Int
    private let window: Duration
    private let subject: LimitSubject
    private let limits: LimitStore
    private let words: Explanation

    /// Limit on exports and verifications of the whole audit log.
    ///
    /// Each reads every event from the database that also serves the sign-ins of all teams.
    static func audits(_ limits: LimitStore) -> TeamWorkLimit {
        TeamWorkLimit(
            count: 10, window: .seconds(300), subject: .team("audit-work"), limits: limits,
            words: Explanation(
                headline: Message("console.audit.limited.headline"),
                message: { Message("console.audit.limited", ["limit": $0, "until": $1]) },
                advice: Message("console.audit.limited.advice")))
    }

    /// Limit on logo uploads, because every loop reloads the team after an upload and caches the logo.
    static func logos(_ limits: LimitStore) -> TeamWorkLimit {
        TeamWorkLimit(
            count: 20, window: .seconds(600), subject: .team("logo-uploads"), limits: limits,
            words: Explanation(
                headline: Message("console.settings.logo.limited.headline"),
                message: { Message("console.settings.logo.limited", ["limit": $0, "until": $1]) },
                advice: Message("console.settings.logo.limited.advice")))
    }

    /// Counts one operation.
    ///
    /// - Throws: `UserFacingError` if the limit is exceeded, `PostgresFailure`.
    func charge(_ team: TeamID, at now: Timestamp) async throws {
        let wait = try await limits.charge(subject, limit: count, window: window, in: team, at: now)
        guard let wait else { return }
        throw UserFacingError(
            .tooManyRequests, words.headline, words.message(count, now + wait), advice: words.advice,
            retryAfter: Int(max(1, wait.components.seconds)))
    }
}
