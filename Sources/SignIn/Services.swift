public import Core
public import Directory
public import Federation
public import OAuth
public import Platform
import Registry

/// What the handlers of one loop work with: its database connections, caches and queues, and what all loops share.
public struct Services: Sendable {
    public let site: Site
    public let server: ServerContext
    public let database: TeamDatabase
    public let system: SystemDatabase
    public let teams: TeamCache
    public let traces: any TraceSink
    public let jobs: JobQueue
    public let hasher: PasswordHasher
    public let consents: ConsentStore
    public let apple: AppleProvider
    /// Whether members of teams may go without a second factor; see `FactorGate`.
    public let sparesRoles: Bool
    public let log: Log

    public init(
        site: Site, server: ServerContext, database: TeamDatabase, system: SystemDatabase, teams: TeamCache,
        traces: any TraceSink, jobs: JobQueue, hasher: PasswordHasher, relay: RelayDomain, apple: AppleProvider,
        sparesRoles: Bool, log: Log
    ) {
        (self.site, self.server, self.database, self.system) = (site, server, database, system)
        (self.teams, self.traces, self.jobs, self.hasher) = (teams, traces, jobs, hasher)
        (self.apple, self.sparesRoles, self.log) = (apple, sparesRoles, log)
        consents = ConsentStore(database, relay: relay, random: server.random)
    }

    public var mail: MailQueue { MailQueue(jobs, keyRing: server.keyRing) }

    public var sessions: SessionStore { SessionStore(database, random: server.random) }

    public var testSignIns: TestSignInStore { TestSignInStore(database: database, keyRing: server.keyRing) }

    public var factors: SecondFactors {
        SecondFactors(database, rights: AccountRightsStore(system), server: server, sparesRoles: sparesRoles)
    }
}

extension Services {
    public var mailer: AccountMailer {
        AccountMessages(site: site, server: server, teams: teams, mail: mail, database: database).mailer
    }

    var passwords: PasswordSignIn { PasswordSignIn(database, hasher: hasher) }

    public var newPasswords: NewPasswords { NewPasswords(database, hasher: hasher) }

    var emailChanges: EmailChange { EmailChange(database, mailer: mailer, random: server.random) }

    var visits: Visits {
        Visits(teams: teams, cookies: site.cookies, sessions: sessions, gate: factors.gate, server: server)
    }

    var sessionIssuer: SessionIssuer {
        SessionIssuer(site: site, passwords: passwords, sessions: sessions, server: server)
    }
}
