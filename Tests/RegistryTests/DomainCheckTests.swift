import EventLoop
import Glibc
import HTTP
import Platform
import TestSockets
import TestSupport
import Testing

@testable import Registry

/// A domain, played by a web server on this machine.
private struct Site: Sendable {
    let client: HTTPClient
    let loop: EventLoop
    let port: UInt16

    static let file = AssociationFile(token: "4a6c")

    /// What the check finds at `host`.
    func find(
        _ host: String = "127.0.0.1", scheme: String = "http", port: UInt16? = nil, allowsLoopback: Bool = true,
        deadline: Duration = .testTimeout, client: HTTPClient? = nil, for team: TeamID = .acme
    ) async -> DomainFinding {
        let check = DomainCheck(client ?? self.client, for: team, allowsLoopback: allowsLoopback, deadline: deadline)
        let url = "\(scheme)://\(host):\(port ?? self.port)\(AssociationFile.path)"
        return await check.run(url, expecting: Self.file)
    }
}

@Suite struct `The check of a domain` {
    /// Lends `body` a site that answers so where the file belongs.
    private func withSite(
        _ answer: @escaping @Sendable () -> Response = { .text(Site.file.content) },
        _ body: @escaping @Sendable (Site) async throws -> Void
    ) async throws {
        let loop = try EventLoop(name: "site")
        try loop.start()
        defer { loop.stop() }
        try await loop.run {
            let server = try await serve(on: loop) { answer() }
            let client = try HTTPClient(on: loop)
            let result: Result<Void, any Error>
            do { result = .success(try await body(Site(client: client, loop: loop, port: server.port))) } catch {
                result = .failure(error)
            }
            client.close()
            await server.stop(within: .milliseconds(50))
            try result.get()
        }
    }

    @Test func `says what is served where the file belongs`() async throws {
        let answers: [(Response, DomainFinding)] = [
            (.text(Site.file.content), DomainFinding(.served, status: 200)),
            // The white space of an editor is known, and still refused.
            (.text("\(Site.file.content)\n"), DomainFinding(.lineBreak, status: 200)),
            (.text("\r\n\(Site.file.content) "), DomainFinding(.lineBreak, status: 200)),
            // No redirect is followed.
            (
                .redirect(to: "https://www.acme.example/verify", status: .found),
                DomainFinding(.redirected, status: 302, detail: "https://www.acme.example/verify")
            ),
            (
                .text("No such page", status: .notFound),
                DomainFinding(.otherStatus, status: 404, detail: "No such page")
            ),
            // Of ten megabytes no more than a part is taken.
            (.text(String(repeating: "0123456789", count: 1_000_000)), DomainFinding(.tooLong)),
        ]
        for (answer, finding) in answers {
            try await withSite {
                answer
            } _: { site async throws in
                #expect(await site.find() == finding, "\(finding)")
            }
        }
    }

    @Test func `shows how a wrong content begins`() async throws {
        try await withSite {
            .text("<!doctype html>\u{7}<title>Acme</title>" + String(repeating: "x", count: 5000))
        } _: { site async throws in
            let finding = await site.find()
            #expect(finding.kind == .otherContent && finding.status == 200)
            #expect(finding.detail?.hasPrefix("<!doctype html>\u{FFFD}<title>Acme</title>xx") == true)
            #expect(finding.detail?.unicodeScalars.count == 120)
        }
    }

    @Test func `says that TLS failed`() async throws {
        try await withSite { site async throws in
            let finding = await site.find("localhost", scheme: "https")
            #expect(finding.kind == .untrusted && finding.detail?.isEmpty == false)
        }
    }

    @Test func `V43: leaves connections for other teams where one's servers never answer`() async throws {
        try await withSite { site async throws in
            let silent = LoopbackListener(backlog: 64, waits: false)
            defer { close(silent.socket) }
            var options = HTTPClient.Options()
            (options.connectionLimit, options.places) = (4, 4)
            let client = try HTTPClient(on: site.loop, options)
            defer { client.close() }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask { _ = await site.find(port: silent.port, deadline: .testTimeout, client: client) }
                }
                let held = try await silent.accept(3)
                defer { for connection in held { close(connection) } }
                let finding = await site.find(client: client, for: TeamID.rival)
                #expect(finding.kind == .served)
                group.cancelAll()
            }
        }
    }

    @Test func `gives up on a server that does not answer`() async throws {
        try await withSite { site async throws in
            let silent = LoopbackListener()
            defer { close(silent.socket) }
            let finding = await site.find(port: silent.port, deadline: .milliseconds(300))
            #expect(finding == DomainFinding(.deadlinePassed))
        }
    }

    @Test func `judges the address of each connection, so that a name cannot be rebound`() async throws {
        try await withSite { site async throws in
            // What a hostile name server answers first, and what it answers the next time.
            for (address, kind) in [("127.0.0.1", DomainFinding.Kind.served), ("10.0.0.1", .addressRefused)] {
                var options = HTTPClient.Options()
                options.hosts = ["rebound.example:\(site.port):\(address)"]
                let client = try HTTPClient(on: site.loop, options)
                defer { client.close() }
                let finding = await site.find("rebound.example", client: client)
                #expect(finding.kind == kind)
                #expect(kind == .served || finding.detail == "10.0.0.1")
            }
        }
    }
}

@Suite struct `The address of an association file` {
    @Test func `is https on the domain itself`() throws {
        let domain = try DomainName(parsing: "Acme.example", policy: .hostNames)

        #expect(domain.associationURL([]) == "https://acme.example/.well-known/apple-developer-domain-association.txt")
    }

    @Test func `of a loopback address is where its return URL lies`() throws {
        let domain = try DomainName(parsing: "127.0.0.1", policy: .hostNamesAndLoopback)
        let urls = ["http://localhost:1/x", "http://127.0.0.1:9000/callback?type=apple", "http://127.0.0.1:9/"].map(
            ReturnURL.init(stored:))

        #expect(domain.associationURL(urls) == "http://127.0.0.1:9000\(AssociationFile.path)")
        #expect(domain.associationURL([]) == "http://127.0.0.1\(AssociationFile.path)")
    }
}

/// A site of this machine that answers so where the association file belongs, however long the answer takes.
func serve(on loop: EventLoop, _ answer: @escaping @Sendable () async throws -> Response) async throws -> Server {
    var router = Router()
    router.get(Route(AssociationFile.path)) { _ in try await answer() }
    var options = ServerOptions(address: try #require(IPAddress("127.0.0.1")), port: 0)
    options.answerTimeout = .testTimeout
    return try await Server.start(Application(routes: try router.frozen()), options, on: [loop])[0]
}
