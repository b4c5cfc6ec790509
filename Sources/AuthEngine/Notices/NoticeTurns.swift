import Bytes
import Directory
import Domain
import Postgres
import Registry

/// When a notice may be sent to a server that its team has not shown to be its own.
///
/// Any address can be entered, and what happens to a team's people happens as often as the team likes: without a line it
/// would be told a stranger hundreds of times a second. A server on a verified domain of the team is told at once, whatever
/// other teams have it told.
///
/// A notice takes the turn of an older one of its kind, about the same person to the same app, that waits. So who does the
/// same thing again and again puts off nobody else's.
struct NoticeTurns: Sendable {
    private let domains: DomainStore
    private let limits: SendingLimits
    private let store: NoticeDeliveryStore

    init(_ database: TeamDatabase) {
        domains = DomainStore(database)
        limits = SendingLimits(LimitStore(database))
        store = NoticeDeliveryStore(database: database)
    }

    /// How long a notice waits for its turn; nil when it is now.
    func wait(
        for letter: NoticeLetter,
        in team: TeamID,
        at now: Timestamp
    ) async throws(PostgresFailure) -> Duration? {
        guard let url = letter.url, let host = NotificationURL(stored: url).hostName,
            try await !domains.isVerified(host: host, in: team)
        else { return nil }
        let turn = try await turn(of: letter, at: host, in: team, at: now)
        guard turn <= now else { return turn - now }
        return try await limits.charge(.notice, ofAllTeamsAt: host, at: now)
    }

    /// When its turn is, which is kept with it.
    private func turn(
        of letter: NoticeLetter,
        at host: String,
        in team: TeamID,
        at now: Timestamp
    ) async throws(PostgresFailure) -> Timestamp {
        if let turn = letter.turnAt { return turn }
        if let turn = try await store.takeOverTurn(letter, in: team) { return turn }
        let turn = try await limits.turn(of: .notice, at: host, in: team, at: now)
        try await store.keep(turn, for: letter.id, in: team)
        return turn
    }
}
