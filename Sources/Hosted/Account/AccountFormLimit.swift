import Bytes
import Directory
import Domain
import HTTP

/// Limits of forms that change accounts: per user in an hour and in a day, and per address in an hour for all accounts.
///
/// The audit log stores each change for more than a year, with old and new values and texts, up to 10 KiB each, on a
/// disk that all teams share. One user can add at most 10 MiB a day.
struct AccountFormLimit: Sendable {
    static let perPerson = 1000
    static let personWindow = Duration.seconds(86_400)
    /// A quarter of `perAddress`, so that one account leaves three quarters to the other accounts at its address.
    static let perPersonHourly = 150
    /// Counted over a shorter window than `perPerson`, because many users of a network may share one address.
    static let perAddress = 600
    static let addressWindow = Duration.seconds(3600)
    static let kind: StaticString = "account-changes"
    static let hourlyKind: StaticString = "account-changes-hourly"

    private let limits: LimitStore

    init(_ limits: LimitStore) { self.limits = limits }

    /// Counts a form; returns the time to wait if it is beyond a limit.
    ///
    /// A counter that rejects stops the later ones: a form rejected for its user does not count for the address, and
    /// one rejected for the hour does not count for the day.
    func charge(_ person: Subject, at address: IPAddress, in team: TeamID, at now: Timestamp) async throws -> Duration?
    {
        for count in Self.counts(person, address) {
            let wait = try await limits.charge(
                count.subject, limit: count.limit, window: count.window, in: team, at: now)
            if let wait { return wait }
        }
        return nil
    }

    private struct Count {
        let subject: LimitSubject
        let limit: Int
        let window: Duration
    }

    private static func counts(_ person: Subject, _ address: IPAddress) -> [Count] {
        let (name, ip) = (person.rawValue, address.description)
        let site = LimitSubject.site(kind, ip).map {
            Count(subject: $0, limit: LimitSubject.addressesPerSite * perAddress, window: addressWindow)
        }
        return [
            Count(subject: .account(hourlyKind, name), limit: perPersonHourly, window: addressWindow),
            Count(subject: .account(kind, name), limit: perPerson, window: personWindow),
            Count(subject: .address(kind, ip), limit: perAddress, window: addressWindow),
        ] + (site.map { [$0] } ?? [])
    }
}
