import AuthEngine
import Bytes
import Directory
import Doctor
import Domain
import HTTP
import Registry
import Web

/// What is done with a connection beside editing it: a test, and one click at the stand-in.
struct AppleConnectionEndpoints: Sendable {
    private let connections: ConnectionTests
    private let limit: ConnectionTestLimit
    private let pages: AppleConnections
    private let context: EngineContext
    private let standIn: AppleStandIn?

    init(_ parts: Console.Parts, _ pages: AppleConnections) {
        self.pages = pages
        limit = ConnectionTestLimit(LimitStore(parts.database))
        connections = ConnectionTests(parts.database, context: parts.context, apple: parts.apple)
        context = parts.context
        standIn = parts.standIn
    }

    func mount(on router: inout ConsoleRouter) {
        router.post(RegistryRoutes.appleTests, needs: .changeKeys, at: .apple) { scope, _, appID in
            try await test(scope, appID)
        }
        guard let standIn else { return }
        router.post(RegistryRoutes.appleStandIn, needs: .changeKeys, at: .apple) { scope, _, appID in
            try await register(scope, appID, at: standIn)
        }
    }

    private func test(_ scope: Scope, _ appID: ClientID) async throws -> Response {
        guard let connection = try await pages.find(appID, in: scope.teamID) else {
            throw Web.Problem.notFound
        }
        let member = scope.account.subject
        if let wait = try await limit.charge(by: member, of: scope.teamID, at: context.clock()) {
            return try await pages.show(connection, scope, testAfter: wait)
        }
        guard let report = try await connections.test(appID, in: scope.teamID) else {
            return try await refuse(scope, appID)
        }
        return scope.redirect(to: page(scope, appID), saying: Self.flash(of: report))
    }

    private static func flash(of report: ConnectionTests.Report) -> Flash {
        guard report.tests.allSatisfy({ $0.outcome == .accepted }) else {
            return .warn(Phrase("console.apple.flash.tested"))
        }
        return report.unasked == 0
            ? .good(Phrase("console.apple.flash.works")) : .good(Phrase("console.apple.flash.asked-work"))
    }

    private func register(_ scope: Scope, _ appID: ClientID, at standIn: AppleStandIn) async throws
        -> Response
    {
        guard let registration = try await connections.registration(of: appID, in: scope.teamID) else {
            return try await refuse(scope, appID)
        }
        let problems = try await standIn.register(
            registration,
            context.returnURL(of: .apple, in: scope.teamID),
            context.notificationURL(of: .apple, in: scope.teamID)
        )
        if let problem = problems.first {
            return scope.redirect(to: page(scope, appID), saying: .bad(problem.message))
        }
        let done = Phrase("console.apple.flash.registered")
        return scope.redirect(to: page(scope, appID), saying: .good(done))
    }

    /// There is no connection, or its key does not open.
    private func refuse(_ scope: Scope, _ appID: ClientID) async throws -> Response {
        guard try await connections.isConnected(appID, in: scope.teamID) else { throw Web.Problem.notFound }
        let words = Phrase("console.apple.flash.sealed")
        return scope.redirect(to: page(scope, appID), saying: .bad(words))
    }

    private func page(_ scope: Scope, _ appID: ClientID) -> String {
        RegistryRoutes.appleConnections.one.link(scope.teamID, appID)
    }
}
