import Bytes
import Directory
import Domain
import HTTP

/// How many forms that change something people may send from their accounts: a person in an hour and in a day, and an
/// address in an hour, of however many accounts.
///
/// What they change is kept in the audit log for more than a year, before and after and with its words, up to 10 KiB
/// for each; and the room on disk is everybody's. So a person has 10 MiB of it in a day at most.
struct AccountFormLimit: Sendable {
    static let perPerson = 1000
    static let personWindow = Duration.seconds(86_400)
    /// A quarter of what an address has, so that one account leaves the others behind its address three.
    static let perPersonHourly = 150
    /// One network may have many people behind one address, so that its count ends sooner.
    static let perAddress = 600
    static let addressWindow = Duration.seconds(3600)
    static let kind: StaticString = "account-changes"
    static let hourlyKind: StaticString = "account-changes-hourly"

    private let limits: LimitStore

    init(_ limits: LimitStore) {
        self.limits = limits
    }

    /// Counts a form; how long to wait where it is one too many.
    ///
    /// What one counter refuses does not count for the next: what is refused to a person uses up nothing of their address's,
    /// and what is refused within an hour nothing of their day.
    func charge(
        _ person: Subject,
        at address: IPAddress,
        in team: TeamID,
        at now: Timestamp
    ) async throws -> Duration? {
        for count in Self.counts(person, address) {
            let wait = try await limits.charge(
                count.subject,
                limit: count.limit,
                window: count.window,
                in: team,
                at: now
            )
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
