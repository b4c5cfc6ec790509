public import HTTP
public import Platform

/// Checks of a team's domains and e-mail sources, whose results are stored.
///
/// Must be used on the event loop of its client and its resolver.
public struct RegistryChecks: Sendable {
    /// Maximum number of domains, and of e-mail sources, in one turn of a team, all at once; the others stay due.
    static let batch = 8

    private let domains: DomainStore
    private let emailSources: EmailSourceStore
    /// Client for addresses that teams name, and for no others; each call has the team as its owner.
    public let client: HTTPClient
    private let resolver: Resolver
    /// Whether the operator allows sandbox teams to use loopback addresses of this machine.
    public let allowsLoopback: Bool
    private let deadlines: (domain: Duration, source: Duration)

    /// - Parameters:
    ///   - client: a client for addresses that teams name, and no others: their servers may occupy all its connections.
    ///   - allowsLoopback: whether the operator allows sandbox teams to use loopback addresses of this machine.
    ///   - deadlines: time limits for the check of a domain and for each lookup of an e-mail source.
    public init(
        _ database: TeamDatabase, client: HTTPClient, resolver: Resolver, allowsLoopback: Bool,
        deadlines: (domain: Duration, source: Duration) = (.seconds(10), .seconds(8))
    ) {
        domains = DomainStore(database)
        emailSources = EmailSourceStore(database)
        self.client = client
        self.resolver = resolver
        self.allowsLoopback = allowsLoopback
        self.deadlines = deadlines
    }

    /// Requests the association file of a domain and stores the finding.
    ///
    /// - Returns: the updated domain, or nil when the team no longer has it.
    public func check(_ domain: RegisteredDomain, in team: TeamID, by actor: Actor, from origin: Origin) async throws
        -> RegisteredDomain?
    {
        let check = DomainCheck(
            client, for: team, allowsLoopback: allowsLoopback && domain.isOfSandbox, deadline: deadlines.domain)
        let finding = await check.run(domain.associationURL, expecting: domain.file)
        return try await domains.note(finding, of: domain.name, in: team, by: actor, from: origin)
    }

    /// Looks up the mail records of an e-mail source and stores them.
    ///
    /// - Returns: the updated source, or nil when the team no longer has it.
    public func check(_ source: RegisteredEmailSource, in team: TeamID) async throws -> RegisteredEmailSource? {
        let records = await MailRecordCheck(resolver, deadline: deadlines.source).run(source)
        return try await emailSources.note(records, of: source.source, in: team)
    }

    /// Checks up to `batch` domains and `batch` e-mail sources of the team that are due.
    ///
    /// - Returns: whether more may be due.
    public func checkDue(in team: TeamID) async throws -> Bool {
        let domains = try await domains.takeDue(limit: Self.batch, in: team)
        let sources = try await emailSources.takeDue(limit: Self.batch, in: team)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for domain in domains {
                group.addTask { _ = try await check(domain, in: team, by: .system("domain check"), from: .local) }
            }
            for source in sources { group.addTask { _ = try await check(source, in: team) } }
            try await group.waitForAll()
        }
        return domains.count == Self.batch || sources.count == Self.batch
    }
}
