import AuthEngine
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
    private let documents: TeamDocuments

    init(_ parts: SignIn.Parts) {
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
    }

    func mount(on router: inout Router) {
        mountTokens(on: &router)
        mountPeople(on: &router)
        mountDeletion(on: &router)
        mountMigration(on: &router)
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
        router.get(TeamRoutes.receipt) { _, team, id in
            let team = try await desk.snapshot(team)
            guard let receipt = try await receipts.find(id, in: team.id) else { throw Problem.notFound }
            return ProtocolAnswers.json(receipt.json)
        }
    }
}
