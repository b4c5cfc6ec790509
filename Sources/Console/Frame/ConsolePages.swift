import Accounts
import Directory
import Platform
import Registry
import SignIn
import Templates

/// The console's pages about one subject, with their routes.
protocol ConsolePages: Sendable, SendableMetatype {
    var parts: Console.Parts { get }

    init(parts: Console.Parts)

    func mount(on router: inout ConsoleRouter)

    /// The pages that no other subject has.
    static var views: [any View.Type] { get }
}

extension ConsolePages {
    static var views: [any View.Type] { [] }

    var site: Site { parts.site }
    var server: ServerContext { parts.server }
    var database: TeamDatabase { parts.database }
    var registry: RegistryStores { RegistryStores(parts) }
    var users: UserStore { UserStore(database) }
    var members: MembershipStore { MembershipStore(database) }
    var auditLog: AuditStore { AuditStore(database) }
    var deletions: AccountDeletion { AccountDeletion(database, random: server.random) }
    /// Names of teams, whichever they are.
    var teamNames: TeamNameStore { TeamNameStore(parts.system) }
    /// Documents that Apple publishes.
    var documents: WatchedDocumentStore { WatchedDocumentStore(database) }

    /// Counts a work that the limit allows a team so many times.
    ///
    /// - Throws: `TooManyRequests`, `PostgresFailure`.
    func count(_ limit: RateLimit, _ times: Int = 1, in team: TeamID) async throws {
        try await database.count([RateLimit.Use(limit, by: .team, times)], in: team, at: server.clock())
    }
}
