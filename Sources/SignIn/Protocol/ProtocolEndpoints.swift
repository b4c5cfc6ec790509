import Accounts
import Core
import Federation
import HTTP
import OAuth
import Platform

/// Endpoints for apps: tokens and their revocation, users, keys, discovery.
struct ProtocolEndpoints: Sendable {
    private let services: Services
    private let handler: ProtocolHandler
    private let userinfo: Userinfo
    private let receipts: DeletionReceiptStore
    private let documents: TeamDocuments
    private let script: WebScript
    private let pages: HostedPages
    private let notifications: UpstreamNotificationEndpoint

    init(_ services: Services, _ pages: HostedPages) {
        self.services = services
        self.pages = pages
        let (server, database) = (services.server, services.database)
        handler = ProtocolHandler(
            teams: services.teams, clients: ClientAuthenticator(server: server, database: database),
            traces: services.traces, log: services.log)
        userinfo = Userinfo(server: server, database: database)
        receipts = DeletionReceiptStore(database)
        documents = TeamDocuments(server: server, apple: services.apple)
        script = WebScript(site: services.site, server: server)
        notifications = UpstreamNotificationEndpoint(services, handler: handler)
    }

    func mount(on router: inout Router) {
        mountClientEndpoints(on: &router)
        mountUserinfo(on: &router)
        router.get(TeamRoutes.receipt) { try await show($2, to: $0, of: $1) }
        notifications.mount(on: &router)
        router.get(TeamRoutes.keys, ready: { _, team in ready(team, documents.preparedKeys) }) { _, team in
            Response(try await documents.keys(of: try await handler.snapshot(team)))
        }
        for route in [TeamRoutes.discovery] + TeamRoutes.rootDiscovery {
            router.get(route, ready: { _, team in ready(team, documents.preparedDiscovery) }) { _, team in
                Response(try documents.discovery(of: try await handler.snapshot(team)))
            }
        }
        router.get(TeamRoutes.script) { request, team in
            script.respond(of: try await handler.snapshot(team), in: request.language)
        }
        router.get(TeamRoutes.scriptAsApple) { request, team, locale in
            guard WebScript.isLocale(locale) else { throw UserFacingError.notFound }
            return script.respond(of: try await handler.snapshot(team), in: request.language(asked: locale))
        }
    }

    /// A document of a team, where both are in memory.
    private func ready(_ team: TeamID, _ document: (TeamSnapshot) -> PreparedResponse?) -> Response? {
        handler.known(team).flatMap(document).map { Response($0) }
    }

    /// The endpoints at which clients prove themselves.
    private func mountClientEndpoints(on router: inout Router) {
        let (server, database, traces) = (services.server, services.database, services.traces)
        let ends = AuthorizationEndStore(database)
        let native = NativeSignIn(services.apple, server: server, database: database, traces: traces)
        let tokens = TokenEndpoint(
            server: server, database: database, ends: ends, traces: traces, redeemingAtProvider: native.redeem)
        mount(tokens, at: TeamRoutes.token, on: &router)
        mount(native, at: TeamRoutes.native, on: &router)
        mount(Revocation(database: database, ends: ends), at: TeamRoutes.revoke, on: &router)
        mount(Introspection(server: server, database: database), at: TeamRoutes.introspect, on: &router)
        mount(SignOut(ends: ends), at: TeamRoutes.signOut, on: &router)
        mount(CredentialStates(database: database), at: TeamRoutes.credentialState, on: &router)
        mount(
            DeleteAccount(server: server, database: database), at: TeamRoutes.deleteAccount, status: .accepted,
            on: &router)
        // The other team has accepted a moment ago, perhaps on another node.
        mount(
            UserMigration(server: server, database: database), at: TeamRoutes.userMigration, isCurrent: true,
            on: &router)
    }

    private func mount(
        _ endpoint: some ClientEndpoint, at route: Route<TeamID>, status: Status = .ok, isCurrent: Bool = false,
        on router: inout Router
    ) {
        router.post(route, ProtocolHandler.options) { request, team in
            await handler.answer(request, team, at: endpoint, status: status, isCurrent: isCurrent)
        }
    }

    private func mountUserinfo(on router: inout Router) {
        for method in [Method.get, .post] {
            router.on(method, TeamRoutes.userinfo, ProtocolHandler.options) { request, team in
                await handler.answer(bearerOf: request, team) { token, team in
                    try await userinfo.respond(to: token, of: team).map { ProtocolAnswers.json($0) }
                }.readableAnywhere
            }
        }
        router.on(.options, TeamRoutes.userinfo) { _, team in
            _ = try await handler.snapshot(team)
            return ProtocolAnswers.preflight
        }
    }

    /// Receipt of an account deletion: a page for a browser, JSON for other clients.
    ///
    /// Its ID is the permission to read it.
    private func show(_ id: ReceiptID, to request: Request, of team: TeamID) async throws -> Response {
        let team = try await handler.snapshot(team)
        guard let receipt = try await receipts.find(id, in: team.id) else { throw UserFacingError.notFound }
        var response: Response
        if Accept(request[.accept]).prefersPage {
            let frame = pages.frame(Message("hosted.receipt.title"), of: team, in: request.language)
            response = pages.respond(ReceiptPage(frame: frame, team: team, receipt: receipt))
        } else {
            response = ProtocolAnswers.json(receipt.json)
        }
        response.append(.vary, "Accept")
        return response
    }
}
