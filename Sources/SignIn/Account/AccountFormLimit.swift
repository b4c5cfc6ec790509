import Bytes
import Directory
import Domain
import HTTP

/// How many forms that change something people may send from their accounts: a person in a day, and an address in an
/// hour, of however many accounts.
///
/// What they change is kept in the audit log for more than a year, before and after and with its words, up to 10 KiB
/// for each; and the room on disk is everybody's. So a person has 10 MiB of it in a day at most.
struct AccountFormLimit: Sendable {
    static let perPerson = 1000
    static let personWindow = Duration.seconds(86_400)
    /// One network may have many people behind one address, so that its count ends sooner.
    static let perAddress = 600
    static let addressWindow = Duration.seconds(3600)
    static let kind: StaticString = "account-changes"

    private let limits: LimitStore

    init(_ limits: LimitStore) {
        self.limits = limits
    }

    /// Counts a form; how long to wait where it is one too many.
    ///
    /// What is refused to a person counts for no address, lest one person use up what is all its people's.
    func charge(
        _ person: Subject,
        at address: IPAddress,
        in team: TeamID,
        at now: Timestamp
    ) async throws -> Duration? {
        let wait = try await limits.charge(
            .account(Self.kind, person.rawValue),
            limit: Self.perPerson,
            window: Self.personWindow,
            in: team,
            at: now
        )
        if let wait { return wait }
        let ip = address.description
        let site = LimitSubject.site(Self.kind, ip)
        let counts =
            [(LimitSubject.address(Self.kind, ip), Self.perAddress)]
            + (site.map { [($0, LimitSubject.addressesPerSite * Self.perAddress)] } ?? [])
        for (subject, limit) in counts {
            let wait = try await limits.charge(
                subject,
                limit: limit,
                window: Self.addressWindow,
                in: team,
                at: now
            )
            if let wait { return wait }
        }
        return nil
    }
}
