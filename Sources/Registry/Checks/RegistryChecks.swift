public import DNS
public import Domain
public import HTTPClient

/// Asks the world about what a team has registered, and notes what it said.
///
/// Belongs to the loop of its client and its resolver.
public struct RegistryChecks: Sendable {
    /// Things of one kind that one turn of a team takes on, all at once; the others stay due.
    static let batch = 8

    private let domains: DomainStore
    private let emailSources: EmailSourceStore
    /// Calls addresses that teams name, and no others; each call is a team's.
    public let client: HTTPClient
    private let resolver: Resolver
    /// Whether the operator lets sandbox teams name addresses of this machine.
    public let allowsLoopback: Bool

    /// - Parameters:
    ///   - client: calls addresses that teams name, and no others: their servers may hold what it has.
    ///   - allowsLoopback: whether the operator lets sandbox teams name addresses of this machine.
    public init(
        _ database: TeamDatabase,
        client: HTTPClient,
        resolver: Resolver,
        allowsLoopback: Bool
    ) {
        domains = DomainStore(database)
        emailSources = EmailSourceStore(database)
        self.client = client
        self.resolver = resolver
        self.allowsLoopback = allowsLoopback
    }

    /// Asks a domain for its association file.
    ///
    /// - Returns: the domain as it is then, or nil when the team has it no more.
    public func check(
        _ domain: RegisteredDomain,
        in team: TeamID,
        by actor: Actor,
        from origin: Origin
    ) async throws -> RegisteredDomain? {
        let check = DomainCheck(
            client,
            for: team,
            allowsLoopback: allowsLoopback && domain.isOfSandbox
        )
        let finding = await check.run(domain.associationURL, expecting: domain.file)
        return try await domains.note(finding, of: domain.name, in: team, by: actor, from: origin)
    }

    /// Asks for the mail records of an e-mail source.
    ///
    /// - Returns: the source as it is then, or nil when the team has it no more.
    public func check(_ source: RegisteredEmailSource, in team: TeamID) async throws -> RegisteredEmailSource?
    {
        let records = await MailRecordCheck(resolver).run(source)
        return try await emailSources.note(records, of: source.source, in: team)
    }

    /// Asks about some things of the team that are due.
    ///
    /// - Returns: whether there may be more.
    public func checkDue(in team: TeamID) async throws -> Bool {
        let domains = try await domains.takeDue(limit: Self.batch, in: team)
        let sources = try await emailSources.takeDue(limit: Self.batch, in: team)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for domain in domains {
                group.addTask {
                    _ = try await check(domain, in: team, by: .system("domain check"), from: .local)
                }
            }
            for source in sources { group.addTask { _ = try await check(source, in: team) } }
            try await group.waitForAll()
        }
        return domains.count == Self.batch || sources.count == Self.batch
    }
}
