import Bytes
import Directory
import Domain
import HTTP
import Web

/// How much one account may change in the console within ten minutes.
///
/// What it changes is kept in the audit log, before and after, for years; and the room on disk is everybody's. So a form
/// counts by its size: one, and one more for each 4 KiB.
struct FormLimit: Sendable {
    static let most = 1200
    private static let window = Duration.seconds(600)
    private static let unit = 4096

    private let limits: LimitStore

    init(_ limits: LimitStore) {
        self.limits = limits
    }

    /// Counts a form that an account has sent.
    ///
    /// - Throws: `Problem` when it is one too many, `PostgresFailure`.
    func charge(_ request: Request, of account: Subject, at now: Timestamp) async throws {
        let count = try await limits.add(
            1 + request.body.count / Self.unit,
            to: .account("console-forms", account.rawValue),
            window: Self.window,
            in: .system,
            at: now
        )
        guard count.value > Self.most else { return }
        throw Problem(
            .tooManyRequests,
            Phrase("console.forms.limited.headline"),
            Phrase("console.forms.limited", ["until": count.endsAt]),
            advice: Phrase("console.forms.limited.advice"),
            retryAfter: Int(max(1, (count.endsAt - now).components.seconds))
        )
    }
}
