import AuthEngine
import Bytes
import Domain
import HTTP
import Registry
import Templates
import Web

/// App IDs that go to other teams and come from them: offered, taken, declined.
struct TransferPages: Sendable {
    static let transfers = Route("/console/:team/transfers", TeamID.self)
    static let acceptance = Route(
        "/console/:team/transfers/:transfer/acceptance",
        TeamID.self,
        TransferID.self
    )
    static let refusal = Route("/console/:team/transfers/:transfer/refusal", TeamID.self, TransferID.self)
    static let withdrawal = Route(
        "/console/:team/transfers/:transfer/withdrawal",
        TeamID.self,
        TransferID.self
    )

    private let site: Site
    private let list: AppTransferStore
    private let clock: @Sendable () -> Timestamp
    private let transfers: AppTransfers
    private let registry: RegistryStores
    private let page: LivePage<TransferPage>
    private let acceptancePage: LivePage<TransferAcceptancePage>

    /// - Throws: `Diagnostics`, when a template does not fit its page.
    init(_ parts: Console.Parts) throws(Diagnostics) {
        site = parts.site
        list = AppTransferStore(parts.database)
        clock = parts.context.clock
        transfers = AppTransfers(parts.database, context: parts.context)
        registry = RegistryStores(
            parts.database,
            keyRing: parts.context.keyRing,
            random: parts.context.random,
            changed: parts.registryChanged
        )
        page = try parts.site.pages.page(TransferPage.self)
        acceptancePage = try parts.site.pages.page(TransferAcceptancePage.self)
    }

    func mount(on router: inout ConsoleRouter) {
        router.get(Self.transfers, needs: .read, at: .appIDs) { try await show($0) }
        router.post(Self.transfers, needs: .dangerZone, at: .appIDs) { try await offer($0, $1) }
        router.get(Self.acceptance, needs: .dangerZone, at: .appIDs) { scope, id in
            let transfer = try await offered(id, scope)
            return site.respond(acceptancePage, TransferAcceptancePage(transfer, scope))
        }
        router.post(Self.acceptance, needs: .dangerZone, at: .appIDs) { scope, form, id in
            try await accept(scope, form, id)
        }
        router.post(Self.refusal, needs: .dangerZone, at: .appIDs, countsForTeam: false) {
            scope,
            _,
            id in
            let isDone = try await transfers.decline(
                id,
                in: scope.teamID,
                by: scope.actor,
                from: scope.origin
            )
            return try back(scope, isDone, Phrase("console.transfers.flash.declined"))
        }
        router.post(Self.withdrawal, needs: .dangerZone, at: .appIDs, countsForTeam: false) {
            scope,
            _,
            id in
            let isDone = try await transfers.withdraw(
                id,
                in: scope.teamID,
                by: scope.actor,
                from: scope.origin
            )
            return try back(scope, isDone, Phrase("console.transfers.flash.withdrawn"))
        }
    }

    private func show(_ scope: Scope, _ form: TransferForm = TransferForm()) async throws -> Response {
        let team = scope.teamID
        let known = try await list.list(in: team, at: clock())
        let mayChange = scope.may(.dangerZone)
        var form = form
        if form.appID.isEmpty { form.appID = try scope.request.parameters()["app"] ?? "" }
        let primaries = try await registry.primaries(in: team)
        let view = TransferPage(
            frame: scope.frame(Phrase("console.transfers.title")),
            team: team,
            transfers: known,
            mayChange: mayChange,
            form: mayChange && !primaries.isEmpty ? form : nil,
            primaries: primaries
        )
        return site.respond(page, view, status: form.problem == nil ? .ok : .unprocessableContent)
    }

    private func offer(_ scope: Scope, _ sent: Form) async throws -> Response {
        var form = TransferForm(sent)
        guard let appID = ClientID(rawValue: form.appID) else { throw Web.Problem(HTTP.Refusal.badRequest) }
        do {
            guard let target = TeamID(rawValue: form.target.trimmed.uppercased()) else {
                throw TransferRefusal.unknownTeam
            }
            _ = try await transfers.offer(
                appID,
                to: target,
                in: scope.teamID,
                by: scope.actor,
                from: scope.origin
            )
        } catch let refusal as TransferRefusal {
            form.problem = refusal.words
            return try await show(scope, form)
        }
        return scope.redirect(
            to: Self.transfers.link(scope.teamID),
            saying: .good(Phrase("console.transfers.flash.offered"))
        )
    }

    /// An offer to this team that waits for its answer.
    private func offered(_ id: TransferID, _ scope: Scope) async throws -> AppTransfer {
        guard let transfer = try await list.find(id, in: scope.teamID, at: clock()),
            transfer.target == scope.teamID, transfer.state == .offered
        else { throw Web.Problem.notFound }
        return transfer
    }

    private func accept(_ scope: Scope, _ form: Form, _ id: TransferID) async throws -> Response {
        let transfer = try await offered(id, scope)
        let confirmation = Confirmation(form, expecting: transfer.appID.rawValue)
        do throws(FormProblems) {
            _ = try confirmation.reason()
        } catch {
            let view = TransferAcceptancePage(transfer, scope, confirmation, error)
            return site.respond(acceptancePage, view, status: .unprocessableContent)
        }
        let outcome: Result<ClientID?, FormProblems>
        do {
            outcome = try await FormProblems.collect {
                try await transfers.accept(
                    id,
                    policy: scope.addressPolicy,
                    in: scope.teamID,
                    by: scope.actor,
                    from: scope.origin
                )
            }
        } catch let refusal as TransferRefusal {
            return scope.redirect(to: Self.transfers.link(scope.teamID), saying: .bad(refusal.words))
        }
        switch outcome {
        case .failure(let problems):
            let reasons = problems.all.map { scope.site.text($0.message) }.joined(separator: " ")
            return scope.redirect(
                to: Self.transfers.link(scope.teamID),
                saying: .bad(Phrase("console.transfers.flash.refused", ["reasons": reasons]))
            )
        case .success(nil):
            throw Web.Problem.notFound
        case .success(let appID?):
            registry.changed(scope.teamID)
            return scope.redirect(
                to: ConsoleRoutes.appID.link(scope.teamID, appID),
                saying: .good(Phrase("console.transfers.flash.accepted"))
            )
        }
    }

    private func back(_ scope: Scope, _ isDone: Bool, _ words: Phrase) throws -> Response {
        guard isDone else { throw Web.Problem.notFound }
        return scope.redirect(to: Self.transfers.link(scope.teamID), saying: .good(words))
    }

    static var views: [any View.Type] { [TransferPage.self, TransferAcceptancePage.self] }
}
