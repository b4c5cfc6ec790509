import Bytes
import Directory
import Domain
import Postgres
import Registry

/// Schedules notifications to servers whose domain the team has not verified as its own.
///
/// Any URL can be entered, and a team can cause events as often as it likes: without a schedule, an uninvolved server
/// would be called hundreds of times a second. A server on a verified domain of the team is called at once, whatever
/// other teams send to it.
///
/// A notification takes over the turn of an older pending one of its type, about the same user to the same app.
/// Repeating the same action therefore delays no other notifications.
struct NotificationScheduler: Sendable {
    private let domains: DomainStore
    private let limits: SendingLimits
    private let store: NotificationDeliveryStore

    init(_ database: TeamDatabase) {
        domains = DomainStore(database)
        limits = SendingLimits(LimitStore(database))
        store = NotificationDeliveryStore(database: database)
    }

    /// Time until a notification's turn; nil if it can be sent now.
    func wait(for token: NotificationToken, in team: TeamID, at now: Timestamp) async throws(PostgresFailure)
        -> Duration?
    {
        guard let url = token.url, let host = NotificationURL(stored: url).hostName,
            try await !domains.isVerified(host: host, in: team)
        else { return nil }
        let turn = try await turn(of: token, at: host, in: team, at: now)
        guard turn <= now else { return turn - now }
        return try await limits.charge(.notification, ofAllTeamsAt: host, at: now)
    }

    /// Time of a notification's turn, which is stored with it.
    private func turn(of token: NotificationToken, at host: String, in team: TeamID, at now: Timestamp)
        async throws(PostgresFailure) -> Timestamp
    {
        if let turn = token.turnAt { return turn }
        if let turn = try await store.takeOverTurn(token, in: team) { return turn }
        let turn = try await limits.turn(of: .notification, at: host, in: team, at: now)
        try await store.keep(turn, for: token.id, in: team)
        return turn
    }
}
