import Core
import EventLoop
import HTTP
import Platform
import Synchronization
import TestSupport
import TestTeams
import Testing

@testable import Federation
@testable import OAuth

/// Calls to Apple, which teams share.
@Suite struct `Calls to Apple` {
    private static func registration(of app: ClientID, in team: TeamID) throws -> AppleRegistration {
        AppleRegistration(
            team: team, appID: app, teamID: try #require(AppleTeamID(rawValue: TeamID.appleSide.rawValue)),
            servicesID: .siwa, bundleIDs: [app], keyID: .apple, key: TestKeys.apple)
    }

    @Test func `V43: come in the turns of the team whose app it is`() async throws {
        let arrived = Mutex(0)
        var router = Router()
        router.post(Route("/auth/token")) { request in
            arrived.withLock { $0 += 1 }
            if String(decoding: request.body, as: UTF8.self).contains("client_id=com.acme.app") {
                try await Task.sleep(for: .testTimeout)
            }
            return .json(Array(#"{"error":"invalid_grant"}"#.utf8), status: .badRequest)
        }
        let loops = try [EventLoop(name: "teams"), EventLoop(name: "apple")]
        for loop in loops { try loop.start() }
        defer { for loop in loops { loop.stop() } }
        let application = Application(routes: try router.frozen())
        var options = ServerOptions(address: try #require(IPAddress("127.0.0.1")), port: 0)
        // A handler takes as long as the test has it take.
        options.answerTimeout = .seconds(3600)
        let server = try await Server.start(application, options, on: [loops[1]])[0]
        var timeout = AppleService.Timeouts()
        timeout.calls = .testTimeout
        let service = AppleService(
            issuer: "https://apple.example", base: "http://127.0.0.1:\(server.port)", addresses: .publicAndLoopback,
            timeouts: timeout)
        // Two places, of which a team has one at most.
        let client = try await loops[0].run { [loop = loops[0]] in
            var options = HTTPClient.Options()
            options.places = 2
            return try HTTPClient(on: loop, options)
        }
        let calls = AppleCalls(service: service, client: client, clock: { Timestamp(seconds: 1_795_174_140) })
        let acme = try Self.registration(of: .app, in: .acme)
        let rival = try Self.registration(of: .rivalApp, in: .rival)

        let held = (0..<2).map { _ in
            Task(executorPreference: loops[0]) { _ = try? await calls.proveConfiguration(as: .app, of: acme) }
        }
        try await waitUntil { arrived.withLock { $0 } >= 1 }
        try await loops[0].run { try await calls.proveConfiguration(as: .rivalApp, of: rival) }
        #expect(arrived.withLock { $0 } == 2, "Acme's second call waits for the first")

        try await loops[0].run { client.close() }
        for call in held { await call.value }
        try await loops[1].run { await server.stop(within: .zero) }
    }
}
