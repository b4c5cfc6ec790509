import Bytes
import Directory
import Doctor
import Domain
import Federation
import HTTP
import Localization
import Registry
import Web

/// Handlers that test a connection to Apple, and register its clients at the Apple simulator.
struct AppleConnectionEndpoints: Sendable {
    private let connections: ConnectionTests
    private let database: TeamDatabase
    private let pages: AppleConnectionResource
    private let server: ServerContext
    private let standIn: AppleStandIn?

    init(_ parts: Console.Parts, _ pages: AppleConnectionResource) {
        self.pages = pages
        database = parts.database
        connections = ConnectionTests(parts.database, server: parts.server, apple: parts.apple)
        server = parts.server
        standIn = parts.standIn
    }

    func mount(on router: inout ConsoleRouter) {
        router.post(RegistryRoutes.appleTests, needs: .changeKeys, at: .apple) { context, _, appID in
            try await test(context, appID)
        }
        guard let standIn else { return }
        router.post(RegistryRoutes.appleStandIn, needs: .changeKeys, at: .apple) { context, _, appID in
            try await register(context, appID, at: standIn)
        }
    }

    private func test(_ context: TeamContext, _ appID: ClientID) async throws -> Response {
        guard try await pages.find(appID, in: context.teamID) != nil else { throw UserFacingError.notFound }
        try await database.count([RateLimit.Use(.probes, by: .team)], in: context.teamID, at: server.clock())
        guard let report = try await connections.test(appID, in: context.teamID) else {
            return try await refuse(context, appID)
        }
        return context.redirect(to: page(context, appID), saying: Self.flash(of: report))
    }

    private static func flash(of report: ConnectionTests.Report) -> Flash {
        guard report.tests.allSatisfy({ $0.outcome == .accepted }) else {
            return .warn(Message("console.apple.flash.tested"))
        }
        return report.unasked == 0
            ? .good(Message("console.apple.flash.works")) : .good(Message("console.apple.flash.asked-work"))
    }

    private func register(_ context: TeamContext, _ appID: ClientID, at standIn: AppleStandIn) async throws -> Response
    {
        guard let registration = try await connections.registration(of: appID, in: context.teamID) else {
            return try await refuse(context, appID)
        }
        let problems = try await standIn.register(
            registration, server.returnURL(of: .apple, in: context.teamID),
            server.notificationURL(of: .apple, in: context.teamID))
        if let problem = problems.first {
            return context.redirect(to: page(context, appID), saying: .bad(problem.message))
        }
        let done = Message("console.apple.flash.registered")
        return context.redirect(to: page(context, appID), saying: .good(done))
    }

    /// Response for a connection that does not exist (404), or whose key cannot be decrypted (a message).
    private func refuse(_ context: TeamContext, _ appID: ClientID) async throws -> Response {
        guard try await connections.isConnected(appID, in: context.teamID) else { throw UserFacingError.notFound }
        let words = Message("console.apple.flash.sealed")
        return context.redirect(to: page(context, appID), saying: .bad(words))
    }

    private func page(_ context: TeamContext, _ appID: ClientID) -> String {
        RegistryRoutes.appleConnections.one.link(context.teamID, appID)
    }
}
