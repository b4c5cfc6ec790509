import Core
import EventLoop
import HTTP
import Platform
import Postgres
import Simulator
import TestDatabase
import TestSupport
import Testing

@testable import Accounts
@testable import Federation
@testable import OAuth
@testable import TestTeams

/// A process beside the site that does what waits at Apple: a loop, connections and caches of its own.
struct AppleProcess: Sendable {
    let loop: EventLoop
    fileprivate let parts: Parts
    private let running: Task<Void, Never>

    /// What lives on the loop.
    fileprivate struct Parts: Sendable {
        let server: ServerContext
        let app: Database
        let system: Database
        let client: HTTPClient
        let apple: AppleProvider
        let teams: TeamCache
        let worker: JobWorker

        var database: TeamDatabase { TeamDatabase(app) }

        func close() {
            client.close()
            app.close()
            system.close()
        }
    }

    init(beside site: TestSite) async throws {
        let (teams, service) = (site.teams, site.appleService)
        let loop = try EventLoop(name: "apple-jobs")
        try loop.start()
        self.loop = loop
        (parts, running) = try await loop.run {
            let parts = try Parts(teams, service, on: loop)
            return (parts, Task(executorPreference: loop) { await parts.worker.run() })
        }
    }

    /// Has validated what is due.
    func validate() async throws {
        try await loop.run {
            try await UpstreamValidationRound(
                parts.database, system: SystemDatabase(parts.system), server: parts.server,
                accounts: AccountDeletion(parts.database, random: parts.server.random)
            ).run()
        }
    }

    /// Settles the answers that nobody came back from.
    func settle() async throws {
        try await loop.run {
            try await UpstreamRequestSettlement(
                parts.apple, server: parts.server, database: parts.database, system: SystemDatabase(parts.system),
                teams: parts.teams
            ).run()
        }
    }

    /// Settles in so many rounds of `batch` answers at most, all of which may be one team's.
    func settle(rounds: Int, of batch: Int) async throws {
        try await loop.run {
            let settlement = UpstreamRequestSettlement(
                parts.apple, server: parts.server, database: parts.database, system: SystemDatabase(parts.system),
                teams: parts.teams, batch: batch, turn: batch)
            for _ in 0..<rounds { try await settlement.run() }
        }
    }

    /// Finishes what is under way.
    func stop() async throws {
        try await loop.run {
            await parts.worker.stop(within: .testTimeout)
            parts.close()
        }
        await running.value
        loop.stop()
    }

    /// Lets the leases be over that it held when it vanished, also those that the database gave it a moment later.
    func endLeases(in teams: TestTeams) throws {
        try teams.admin(
            "UPDATE jobs SET due_at = now() WHERE worker = $1 AND due_at > now()", parts.worker.id.description)
    }

    /// Vanishes in the middle: its connections break, and it says nothing any more.
    func kill() async throws {
        try await loop.run {
            parts.close()
            await parts.worker.stop(within: .zero)
        }
        await running.value
        loop.stop()
    }
}

extension AppleProcess.Parts {
    fileprivate init(_ site: TestTeams, _ service: AppleService, on loop: EventLoop) throws {
        server = site.server
        app = Database(loop: loop, configuration: .forTests(site.conninfo, role: "pippin_app"))
        system = Database(loop: loop, configuration: .forTests(site.conninfo, role: "pippin_system"))
        client = try HTTPClient(on: loop)
        let keys = AppleKeySet(of: service, on: loop, client: client, clock: server.clock)
        apple = AppleProvider(service, keys: keys, client: client, clock: server.clock)
        let database = TeamDatabase(app)
        teams = TeamCache(loop: loop, database: database, server: server)
        var handlers = JobHandlers()
        UpstreamTokenWork(
            apple, server: server, database: database, teams: teams,
            accounts: AccountDeletion(database, random: server.random)
        ).register(in: &handlers)
        UpstreamNotifications(
            apple, server: server, database: database, teams: teams,
            accounts: AccountDeletion(database, random: server.random)
        ).register(in: &handlers)
        NotificationDelivery(server: server, database: database, teams: teams, client: client, allowsLoopback: true)
            .register(in: &handlers)
        var options = JobWorker.Options()
        (options.pollInterval, options.lease) = (.milliseconds(50), .testTimeout)
        worker = JobWorker(
            on: loop, database, system: SystemDatabase(system), handlers: handlers, bell: JobSignal(), options: options,
            log: Log(threshold: .error) { _ in })
        app.open()
        system.open()
    }
}

extension TestSite {
    /// The Apple simulator at this site's port.
    var appleService: AppleService { AppleService(teams, port: port) }

    /// Lends `body` a process, and stops it.
    func withProcess(_ body: (AppleProcess) async throws -> Void) async throws {
        let process = try await AppleProcess(beside: self)
        let result: Result<Void, any Error>
        do { result = .success(try await body(process)) } catch { result = .failure(error) }
        try await process.stop()
        try result.get()
    }

    /// Does what waits at Apple until `condition` holds; attempts that failed are repeated at once.
    func work(until condition: () throws -> Bool) async throws {
        try await withProcess { _ in try await wait(until: condition) }
    }

    /// Waits until `condition` holds.
    ///
    /// - Parameter isHasty: whether attempts that failed are repeated at once.
    func wait(isHasty: Bool = true, until condition: () throws -> Bool) async throws {
        try await waitUntil {
            if try condition() { return true }
            if isHasty { try teams.admin(Self.speedup) }
            return false
        }
    }

    /// Past those that a worker has under way: two who lock many jobs each in an order of their own would wait for ever.
    private static let speedup = """
        UPDATE jobs SET due_at = now() WHERE job_id IN (
            SELECT job_id FROM jobs WHERE state = 'pending' AND worker IS NULL AND due_at > now()
            LIMIT 1000 FOR UPDATE SKIP LOCKED
        )
        """

    /// Has a process try what waits at Apple once, in vain.
    func workInVain(at kind: String = "upstream.revocation") async throws {
        try await withProcess { _ in try await waitForFailure(of: kind) }
    }

    /// Waits until a job of that kind has failed once, and nobody is at work with it.
    func waitForFailure(of kind: String) async throws {
        let failed = "SELECT FROM jobs WHERE kind = $1 AND attempts = 1 AND worker IS NULL"
        try await wait(isHasty: false) { try !teams.admin(failed, kind).isEmpty }
    }

    /// The states of what Apple gave, the oldest first.
    func tokenStates() throws -> [String?] {
        try teams.admin("SELECT state FROM upstream_tokens ORDER BY created_at, token_id").map { $0[0] }
    }

    /// As if Rival had the same tokens of Apple's.
    func copyTokensToRival() throws {
        let columns = "token_id, provider, sub, app_id, client_id, token_sealed, created_at, validate_at"
        try teams.admin(
            "INSERT INTO upstream_tokens (team_id, \(columns)) SELECT 'RIVALTEAM1', \(columns) FROM upstream_tokens")
    }

    /// The actions of Acme's log about tokens of Apple's, the oldest first.
    func receipts() throws -> [String] { try teams.actions().filter { $0.hasPrefix("upstream_token.") } }

    /// A whole sign-in at Apple, redeemed: the app's refresh token.
    func tokens(of performer: Performer = .regular) throws -> String {
        try token(of: try browser().signInAtApple(performer))
    }

    /// A form post of the web app, authenticated.
    func client(_ path: String, _ form: [String: String?]) throws -> Answer {
        let proof: [String: String?] = [
            "client_id": ClientID.web.rawValue, "client_secret": try teams.secret(of: .web),
        ]
        return try post("/t/ACMETEAM01/auth/\(path)", proof.merging(form) { $1 })
    }

    /// What the web app is told of somebody.
    func credentialState(of performer: Performer = .regular) throws -> String? {
        try client("credential-state", ["sub": performer.subject.rawValue]).json["credential_state"]?.string
    }

    /// Whether a refresh token still works.
    func isAlive(_ token: String) throws -> Bool {
        let form = ["grant_type": "refresh_token", "refresh_token": token]
        return try client("token", form).status == 200
    }
}
