import Accounts
import Directory
import Domain
import Federation
import HTTP
import Localization
import OAuth
import Web

/// Endpoints for apps: tokens and their revocation, users, keys, discovery.
struct ProtocolEndpoints: Sendable {
    private let handler: ProtocolHandler
    private let tokens: TokenEndpoint
    private let native: NativeSignIn
    private let revocation: Revocation
    private let introspection: Introspection
    private let signOut: SignOut
    private let credentialStates: CredentialStates
    private let deleteAccount: DeleteAccount
    private let migration: UserMigration
    private let userinfo: Userinfo
    private let receipts: DeletionReceiptStore
    private let documents: TeamDocuments
    private let script: WebScript
    private let pages: HostedPages
    private let notifications: UpstreamNotificationEndpoint

    init(_ services: Services, _ pages: HostedPages) {
        let (server, database, traces) = (services.server, services.database, services.traces)
        let ends = AuthorizationEndStore(database)
        handler = ProtocolHandler(
            teams: services.teams, clients: ClientAuthenticator(server: server, database: database), traces: traces,
            log: services.log)
        native = NativeSignIn(services.apple, server: server, database: database, traces: traces)
        tokens = TokenEndpoint(
            server: server, database: database, ends: ends, traces: traces, redeemingAtProvider: native.redeem)
        revocation = Revocation(database: database, ends: ends)
        introspection = Introspection(server: server, database: database)
        signOut = SignOut(ends: ends)
        credentialStates = CredentialStates(database: database)
        deleteAccount = DeleteAccount(server: server, database: database)
        migration = UserMigration(server: server, database: database)
        userinfo = Userinfo(server: server, database: database)
        receipts = DeletionReceiptStore(database)
        documents = TeamDocuments(server: server, apple: services.apple)
        script = WebScript(site: services.site, server: server)
        self.pages = pages
        notifications = UpstreamNotificationEndpoint(services, handler: handler)
    }

    func mount(on router: inout Router) {
        mount(tokens, at: TeamRoutes.token, on: &router)
        mount(native, at: TeamRoutes.native, on: &router)
        mount(revocation, at: TeamRoutes.revoke, on: &router)
        mount(introspection, at: TeamRoutes.introspect, on: &router)
        mount(signOut, at: TeamRoutes.signOut, on: &router)
        mount(credentialStates, at: TeamRoutes.credentialState, on: &router)
        mount(deleteAccount, at: TeamRoutes.deleteAccount, status: .accepted, on: &router)
        // The other team has accepted a moment ago, perhaps on another node.
        mount(migration, at: TeamRoutes.userMigration, isCurrent: true, on: &router)
        mountUserinfo(on: &router)
        router.get(TeamRoutes.receipt) { try await show($2, to: $0, of: $1) }
        notifications.mount(on: &router)
        router.get(TeamRoutes.keys) { _, team in
            Response(try await documents.keys(of: try await handler.snapshot(team)))
        }
        for route in [TeamRoutes.discovery] + TeamRoutes.rootDiscovery {
            router.get(route) { _, team in Response(try documents.discovery(of: try await handler.snapshot(team))) }
        }
        router.get(TeamRoutes.script) { request, team in
            script.respond(of: try await handler.snapshot(team), in: request.language)
        }
        router.get(TeamRoutes.scriptAsApple) { request, team, locale in
            guard WebScript.isLocale(locale) else { throw UserFacingError.notFound }
            return script.respond(of: try await handler.snapshot(team), in: request.language(asked: locale))
        }
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
