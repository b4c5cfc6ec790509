import Core
import Directory
import Platform
import Postgres
import Registry

/// Postpones notifications to servers whose domain the team has not verified as its own.
///
/// Any URL can be entered, and a team can cause events as often as it likes: without a limit, an uninvolved server would
/// be called hundreds of times a second. A server on a verified domain of the team is called at once.
struct NotificationScheduler: Sendable {
    private let domains: DomainStore
    private let database: TeamDatabase

    init(_ database: TeamDatabase) {
        domains = DomainStore(database)
        self.database = database
    }

    /// Time until a notification may be sent; nil if it can be sent now.
    func wait(for token: NotificationToken, in team: TeamID, at now: Timestamp) async throws -> Duration? {
        guard let url = token.url, let host = NotificationURL(stored: url).hostName,
            try await !domains.isVerified(host: host, in: team)
        else { return nil }
        do {
            try await database.count([RateLimit.Use(.unverifiedHost, by: .host(host))], in: team, at: now)
            return nil
        } catch let refusal as TooManyRequests {
            // Not all at once when the window ends.
            return refusal.wait + .seconds(Int.random(in: 0..<60))
        }
    }
}
