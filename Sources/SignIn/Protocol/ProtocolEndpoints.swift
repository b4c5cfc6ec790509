import Accounts
import Core
import Directory
import Federation
import HTTP
import OAuth
import Platform

/// Endpoints for apps: tokens and their revocation, users, keys, discovery.
struct ProtocolEndpoints: Sendable {
    private let handler: ProtocolHandler
    private let tokens: TokenEndpoint
    private let revocation: Revocation
    private let signOut: SignOut
    private let introspection: Introspection
    private let credentialStates: CredentialStates
    private let userinfo: Userinfo
    private let deleteAccount: DeleteAccount
    private let receipts: DeletionReceiptStore
    private let migration: UserMigration
    private let native: NativeSignIn
    private let database: TeamDatabase
    private let server: ServerContext
    private let documents: TeamDocuments
    private let script: WebScript
    private let pages: HostedPages
    private let notifications: UpstreamNotificationEndpoint

    init(_ services: Services, _ pages: HostedPages) {
        self.pages = pages
        let (server, database, testSignIns) = (services.server, services.database, services.testSignIns)
        handler = ProtocolHandler(teams: services.teams, traces: services.traces, log: services.log)
        let ends = AuthorizationEndStore(database)
        tokens = TokenEndpoint(
            server: server, database: database, ends: ends, testSignIns: testSignIns, traces: services.traces)
        revocation = Revocation(server: server, database: database, ends: ends, testSignIns: testSignIns)
        signOut = SignOut(server: server, ends: ends, testSignIns: testSignIns)
        introspection = Introspection(server: server, database: database, testSignIns: testSignIns)
        credentialStates = CredentialStates(server: server, database: database, testSignIns: testSignIns)
        userinfo = Userinfo(server: server, database: database)
        deleteAccount = DeleteAccount(server: server, database: database, testSignIns: testSignIns)
        receipts = DeletionReceiptStore(database)
        migration = UserMigration(server: server, database: database, testSignIns: testSignIns)
        documents = TeamDocuments(server: server, apple: services.apple)
        script = WebScript(site: services.site, server: server)
        native = NativeSignIn(
            services.apple, server: server, database: database, testSignIns: testSignIns, traces: services.traces)
        (self.database, self.server) = (database, server)
        notifications = UpstreamNotificationEndpoint(services, handler: handler)
    }

    func mount(on router: inout Router) {
        mountTokens(on: &router)
        mountNative(on: &router)
        mountPeople(on: &router)
        mountDeletion(on: &router)
        mountMigration(on: &router)
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

    private func mountTokens(on router: inout Router) {
        router.post(TeamRoutes.token, ProtocolHandler.options) { request, team in
            await handler.answer(request, team) { parameters, team in
                do {
                    return ProtocolAnswers.json(
                        try await tokens.respond(to: parameters, of: team, from: request.auditOrigin))
                } catch let error as OAuthError
                    where [.codeMalformed, .codeUnknown].contains(error.cause) && native.mayRedeem(parameters, of: team)
                { return try await handOver(parameters, request, team, asApple: true) }
            }
        }
        router.post(TeamRoutes.revoke, ProtocolHandler.options) { request, team in
            await handler.answer(request, team) { parameters, team in
                try await revocation.respond(to: parameters, of: team, from: request.auditOrigin)
                return ProtocolAnswers.json([])
            }
        }
        router.post(TeamRoutes.introspect, ProtocolHandler.options) { request, team in
            await handler.answer(request, team) { parameters, team in
                ProtocolAnswers.json(
                    try await introspection.respond(to: parameters, of: team, from: request.auditOrigin))
            }
        }
    }

    private func mountNative(on router: inout Router) {
        router.post(TeamRoutes.native, ProtocolHandler.options) { request, team in
            await handler.answer(request, team) { parameters, team in
                // Without Apple, the request is rejected for that reason and is not counted.
                guard team.usesApple else {
                    return ProtocolAnswers.json(
                        try await native.respond(to: parameters, of: team, from: request.auditOrigin))
                }
                return try await handOver(parameters, request, team)
            }
        }
    }

    /// Counts a handover as failed until it has succeeded, so that no number of concurrent ones exceeds the limit.
    ///
    /// An authenticated backend forwards the handovers of all users of its app, so it is counted by its client ID,
    /// whatever its address; beyond its limit, only handovers that are verified here continue, and none is given back,
    /// because it may not have been counted. A failure on this server is not the sender's; what Apple was asked stays
    /// counted, because more would only make Apple throttle the team.
    ///
    /// - Parameter asApple: whether the answer is Apple's token response, for a backend written for Apple.
    private func handOver(
        _ parameters: ProtocolParameters, _ request: Request, _ team: TeamSnapshot, asApple: Bool = false
    ) async throws -> Response {
        let (now, backend) = (server.clock(), try await native.backend(parameters, of: team))
        let network = LimitKey.network(request.client.description)
        let use = RateLimit.Use(.failedHandovers, by: backend.map { .client($0) } ?? network)
        let ofNetwork = backend == nil ? [RateLimit.Use(.unauthenticatedWrites, by: network)] : []
        var provenOnly = false
        do { try await database.count([use] + ofNetwork, in: team.id, at: now) } catch let refusal as TooManyRequests {
            guard backend != nil else { throw refusal }
            provenOnly = true
        }
        do {
            let tokens = try await native.respond(
                to: parameters, of: team, from: request.auditOrigin, asApple: asApple, provenOnly: provenOnly)
            if !provenOnly { try await database.release([use], in: team.id, at: now) }
            return ProtocolAnswers.json(tokens)
        } catch {
            if !provenOnly, let failure = error as? UpstreamFailure, failure.remedy == .again, !failure.reachedProvider,
                failure.cause != .providerKey
            {
                try await database.release([use], in: team.id, at: now)
            }
            throw error
        }
    }

    private func mountPeople(on router: inout Router) {
        router.post(TeamRoutes.signOut, ProtocolHandler.options) { request, team in
            await handler.answer(request, team) { parameters, team in
                try await signOut.respond(to: parameters, of: team, from: request.auditOrigin)
                return ProtocolAnswers.json([])
            }
        }
        router.post(TeamRoutes.credentialState, ProtocolHandler.options) { request, team in
            await handler.answer(request, team) { parameters, team in
                ProtocolAnswers.json(
                    try await credentialStates.respond(to: parameters, of: team, from: request.auditOrigin))
            }
        }
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

    private func mountMigration(on router: inout Router) {
        // The other team has accepted a moment ago, perhaps on another node.
        router.post(TeamRoutes.userMigration, ProtocolHandler.options) { request, team in
            await handler.answer(request, team, isCurrent: true) { parameters, team in
                ProtocolAnswers.json(
                    try await migration.respond(
                        to: parameters, accessToken: BearerToken(request)?.text, of: team, from: request.auditOrigin))
            }
        }
    }

    private func mountDeletion(on router: inout Router) {
        router.post(TeamRoutes.deleteAccount, ProtocolHandler.options) { request, team in
            await handler.answer(request, team) { parameters, team in
                let body = try await deleteAccount.respond(to: parameters, of: team, from: request.auditOrigin)
                return ProtocolAnswers.json(body, status: .accepted)
            }
        }
        router.get(TeamRoutes.receipt) { try await show($2, to: $0, of: $1) }
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
