import Core
import Crypto
import EventLoop
import HTTP
import Platform
import Postgres
import Templates
@_exported import TestDatabase
import TestMail
import TestSupport
import Testing

/// A migrated database with Acme and Rival, a worker that sends mail, and perhaps a mail server.
struct MailEnvironment: Sendable, OwnedDatabase {
    static let link = "https://pippin.example/t/ACMETEAM01/verify/secret-of-the-link"

    let conninfo: String
    let loop: EventLoop
    let database: TeamDatabase
    let mail: MailQueue
    let mailbox: MailboxStore
    let keyRing: KeyRing

    func mail(_ message: EmailMessage, to recipient: String = "ada@acme.example", in language: Language = .english)
        throws -> OutgoingMail
    { OutgoingMail(message, to: try #require(EmailAddress(rawValue: recipient)), in: language, from: "Acme") }

    /// A letter whose link works for a while.
    var verification: EmailMessage { .verification(link: Self.link, until: .now() + .seconds(3600)) }

    /// Waits until one job is in that state.
    func wait(for state: String) async throws {
        try await waitUntil { try !admin("SELECT 1 FROM jobs WHERE state = $1", state).isEmpty }
    }
}

/// The catalogue and the templates of the repository.
private let repositoryPages = Result {
    let root = "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
    return try Pages(folder: root + "/Templates", texts: root + "/Texts", isWatching: false)
}

/// What writes mail by them.
func emailRenderer() throws -> EmailRenderer { try EmailRenderer(repositoryPages.get()) }

/// Lends `body` a world whose worker sends mail, through `server` if there is one.
///
/// - Parameter gate: closed where it is a copy.
func withMail(
    through server: MailServer? = nil, gate: OutgoingGate? = nil,
    _ body: @escaping @Sendable (MailEnvironment) async throws -> Void
) async throws {
    let serving = try EventLoop(name: "mail-server")
    try serving.start()
    if let server { serving.execute { server.serve() } }
    defer {
        server?.close()
        serving.stop()
    }
    try await withConnectedDatabase { connected in try await run(body, connected, server?.port, gate) }
}

private func run(
    _ body: @Sendable (MailEnvironment) async throws -> Void, _ connected: ConnectedDatabase, _ port: UInt16?,
    _ gate: OutgoingGate?
) async throws {
    let (loop, database) = (connected.loop, connected.database)
    let threads = try BlockingPool(name: "mail", threads: 2, queueLimit: 8)
    defer { threads.stop() }
    let key = try MasterKey(id: "test", secret: RandomSource.system.bytes(32))
    let (bell, keyRing) = (JobSignal(), KeyRing(current: key))
    var handlers = JobHandlers()
    let route = MailSender.Route(
        server: port.flatMap { SMTPServer("smtp://127.0.0.1:\($0)") },
        sender: try #require(EmailAddress(rawValue: "no-reply@pippin.example")), localName: "pippin.example")
    MailSender(
        route, client: MailClient(threads: threads, gate: gate), writer: try emailRenderer(),
        mailbox: MailboxStore(database, keyRing: keyRing), keyRing: keyRing
    ).register(with: &handlers)
    let worker = JobWorker(
        on: loop, database, system: connected.systemDatabase, handlers: handlers, bell: bell,
        log: Log(threshold: .error) { _ in })
    let running = Task(executorPreference: loop) { await worker.run() }
    let environment = MailEnvironment(
        conninfo: connected.conninfo, loop: loop, database: database,
        mail: MailQueue(JobQueue(database, bell: bell), keyRing: keyRing),
        mailbox: MailboxStore(database, keyRing: keyRing), keyRing: keyRing)
    do { try await body(environment) } catch {
        await worker.stop(within: .testTimeout)
        await running.value
        throw error
    }
    await worker.stop(within: .testTimeout)
    await running.value
}
