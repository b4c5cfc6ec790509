import AuthEngine
import Bytes
import Directory
import Domain
import HTTP
import Log
import Web

/// The addresses apps ask: tokens and their ends, people, keys, discovery.
struct ProtocolEndpoints: Sendable {
    private let desk: ProtocolDesk
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
    private let limits: AttemptLimits
    private let counts: LimitStore
    private let handovers: HandoverLimits
    private let clock: @Sendable () -> Timestamp
    private let documents: TeamDocuments
    private let pages: HostedPages
    private let notices: ProviderNoticeEndpoint

    init(_ parts: SignIn.Parts, _ pages: HostedPages) {
        self.pages = pages
        let (context, database, trials) = (parts.context, parts.database, parts.trials)
        desk = ProtocolDesk(teams: parts.teams, flows: parts.flows, log: parts.log)
        tokens = TokenEndpoint(
            context: context,
            database: database,
            trials: trials,
            flows: parts.flows
        )
        revocation = Revocation(context: context, database: database, trials: trials)
        signOut = SignOut(context: context, database: database, trials: trials)
        introspection = Introspection(context: context, database: database, trials: trials)
        credentialStates = CredentialStates(context: context, database: database, trials: trials)
        userinfo = Userinfo(context: context, database: database)
        deleteAccount = DeleteAccount(context: context, database: database, trials: trials)
        receipts = DeletionReceiptStore(database)
        migration = UserMigration(context: context, database: database, trials: trials)
        documents = TeamDocuments(context: context)
        native = NativeSignIn(
            parts.apple,
            context: context,
            database: database,
            trials: trials,
            flows: parts.flows
        )
        limits = parts.limits
        counts = LimitStore(database)
        handovers = HandoverLimits(counts: counts)
        clock = context.clock
        notices = ProviderNoticeEndpoint(parts, desk: desk)
    }

    func mount(on router: inout Router) {
        mountTokens(on: &router)
        mountNative(on: &router)
        mountPeople(on: &router)
        mountDeletion(on: &router)
        mountMigration(on: &router)
        notices.mount(on: &router)
        router.get(TeamRoutes.keys) { _, team in
            Response(try documents.keys(of: try await desk.snapshot(team)))
        }
        router.get(TeamRoutes.discovery) { _, team in
            Response(try documents.discovery(of: try await desk.snapshot(team)))
        }
    }

    private func mountTokens(on router: inout Router) {
        router.post(TeamRoutes.token, ProtocolDesk.options) { request, team in
            await desk.answer(request, team) { parameters, team in
                ProtocolAnswers.json(
                    try await tokens.respond(to: parameters, of: team, from: request.auditOrigin)
                )
            }
        }
        router.post(TeamRoutes.revoke, ProtocolDesk.options) { request, team in
            await desk.answer(request, team) { parameters, team in
                try await revocation.respond(to: parameters, of: team, from: request.auditOrigin)
                return ProtocolAnswers.json([])
            }
        }
        router.post(TeamRoutes.introspect, ProtocolDesk.options) { request, team in
            await desk.answer(request, team) { parameters, team in
                ProtocolAnswers.json(try await introspection.respond(to: parameters, of: team))
            }
        }
    }

    /// Apple is asked for whoever comes, so that beginnings are counted as those of the hosted pages are, and those that
    /// fail once more.
    private func mountNative(on router: inout Router) {
        router.post(TeamRoutes.native, ProtocolDesk.options) { request, team in
            await desk.answer(request, team) { parameters, team in
                // Where Apple is not asked this is refused for what it lacks, and takes nothing from who begins.
                guard team.usesApple else {
                    return ProtocolAnswers.json(
                        try await native.respond(to: parameters, of: team, from: request.auditOrigin)
                    )
                }
                let backend = try await native.backend(parameters, of: team)
                let admits =
                    if backend == nil {
                        try await limits.admit(request.client, team: team.id, counting: counts, at: clock())
                    } else {
                        try await limits.admit(backendOf: team.id, counting: counts, at: clock())
                    }
                let sender = backend.map { HandoverLimits.Sender.backend($0) } ?? .address(request.client)
                guard admits, let entry = try await handovers.enter(sender, in: team.id, at: clock())
                else { return ProtocolAnswers.problem(.tooManySignIns) }
                return try await handOver(parameters, request, team, entry)
            }
        }
    }

    private func handOver(
        _ parameters: ProtocolParameters,
        _ request: Request,
        _ team: TeamSnapshot,
        _ entry: HandoverLimits.Entry
    ) async throws -> Response {
        let tokens: [UInt8]
        do {
            tokens = try await native.respond(
                to: parameters,
                of: team,
                from: request.auditOrigin,
                provenOnly: entry.isForProvenOnly
            )
        } catch {
            try await handovers.leave(entry, with: error as? ProviderFailure, in: team.id)
            if error is NativeSignIn.Unproven { return ProtocolAnswers.problem(.tooManySignIns) }
            throw error
        }
        try await handovers.leave(entry, with: nil, in: team.id)
        return ProtocolAnswers.json(tokens)
    }

    private func mountPeople(on router: inout Router) {
        router.post(TeamRoutes.signOut, ProtocolDesk.options) { request, team in
            await desk.answer(request, team) { parameters, team in
                try await signOut.respond(to: parameters, of: team, from: request.auditOrigin)
                return ProtocolAnswers.json([])
            }
        }
        router.post(TeamRoutes.credentialState, ProtocolDesk.options) { request, team in
            await desk.answer(request, team) { parameters, team in
                ProtocolAnswers.json(try await credentialStates.respond(to: parameters, of: team))
            }
        }
        for method in [Method.get, .post] {
            router.on(method, TeamRoutes.userinfo, ProtocolDesk.options) { request, team in
                await desk.answer(bearerOf: request, team) { token, team in
                    try await userinfo.respond(to: token, of: team).map { ProtocolAnswers.json($0) }
                }
            }
        }
    }

    private func mountMigration(on router: inout Router) {
        router.post(TeamRoutes.userMigration, ProtocolDesk.options) { request, team in
            await desk.answer(request, team) { parameters, team in
                ProtocolAnswers.json(
                    try await migration.respond(
                        to: parameters,
                        accessToken: BearerToken(request)?.text,
                        of: team,
                        from: request.auditOrigin
                    )
                )
            }
        }
    }

    private func mountDeletion(on router: inout Router) {
        router.post(TeamRoutes.deleteAccount, ProtocolDesk.options) { request, team in
            await desk.answer(request, team) { parameters, team in
                let body = try await deleteAccount.respond(
                    to: parameters,
                    of: team,
                    from: request.auditOrigin
                )
                return ProtocolAnswers.json(body, status: .accepted)
            }
        }
        router.get(TeamRoutes.receipt) { try await show($2, to: $0, of: $1) }
    }

    /// A receipt: a page for a browser, JSON for every other asker.
    ///
    /// Its id is the permission to read it.
    private func show(_ id: ReceiptID, to request: Request, of team: TeamID) async throws -> Response {
        let team = try await desk.snapshot(team)
        guard let receipt = try await receipts.find(id, in: team.id) else { throw Problem.notFound }
        var response: Response
        if Accept(request[.accept]).prefersPage {
            let frame = pages.frame(Phrase("hosted.receipt.title"), of: team, in: request.language)
            response = pages.respond(ReceiptPage(frame: frame, team: team, receipt: receipt))
        } else {
            response = ProtocolAnswers.json(receipt.json)
        }
        response.append(.vary, "Accept")
        return response
    }
}
