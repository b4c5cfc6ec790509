public import DNS
public import Domain
public import HTTPClient

/// Asks the world about what a team has registered, and notes what it said.
///
/// Belongs to the loop of its client and its resolver.
public struct RegistryChecks: Sendable {
    /// Things asked about at a time.
    private static let width = 8
    /// Things of one kind that one run takes on; the others stay due.
    private static let batch = 100

    private let domains: DomainStore
    private let emailSources: EmailSourceStore
    /// Calls addresses that teams name, and no others.
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
        let check = DomainCheck(client, allowsLoopback: allowsLoopback && domain.isOfSandbox)
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

    /// Asks about everything of the team that is due, a few at a time.
    public func checkDue(in team: TeamID) async throws {
        let domains = try await domains.takeDue(limit: Self.batch, in: team)
        try await Self.each(of: domains) { domain in
            _ = try await check(domain, in: team, by: .system("domain check"), from: .local)
        }
        let sources = try await emailSources.takeDue(limit: Self.batch, in: team)
        try await Self.each(of: sources) { _ = try await check($0, in: team) }
    }

    private static func each<Item: Sendable>(
        of items: [Item],
        _ body: @escaping @Sendable (Item) async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, item) in items.enumerated() {
                if index >= width { try await group.next() }
                group.addTask { try await body(item) }
            }
            try await group.waitForAll()
        }
    }
}
