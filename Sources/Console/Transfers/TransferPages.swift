import Accounts
import Core
import HTTP
import Platform
import Registry
import SignIn
import Templates

/// Pages of App ID transfers between teams: list, offer, acceptance, refusal and withdrawal.
struct TransferPages: ConsolePages {
    static let transfers = Route("/console/:team/transfers", TeamID.self)
    static let acceptance = Route("/console/:team/transfers/:transfer/acceptance", TeamID.self, TransferID.self)
    static let refusal = Route("/console/:team/transfers/:transfer/refusal", TeamID.self, TransferID.self)
    static let withdrawal = Route("/console/:team/transfers/:transfer/withdrawal", TeamID.self, TransferID.self)

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
        clock = parts.server.clock
        transfers = AppTransfers(parts.database, server: parts.server)
        registry = RegistryStores(parts)
        page = try parts.site.pages.page(TransferPage.self)
        acceptancePage = try parts.site.pages.page(TransferAcceptancePage.self)
    }

    func mount(on router: inout ConsoleRouter) {
        router.get(Self.transfers, needs: .read, at: .appIDs) { try await show($0) }
        router.post(Self.transfers, needs: .dangerZone, at: .appIDs) { try await offer($0, $1) }
        router.get(Self.acceptance, needs: .dangerZone, at: .appIDs) { context, id in
            let transfer = try await offered(id, context)
            return site.respond(acceptancePage, TransferAcceptancePage(transfer, context))
        }
        router.post(Self.acceptance, needs: .dangerZone, at: .appIDs) { context, form, id in
            try await accept(context, form, id)
        }
        router.post(Self.refusal, needs: .dangerZone, at: .appIDs, countsForTeam: false) { context, _, id in
            let isDone = try await transfers.decline(id, in: context.teamID, by: context.actor, from: context.origin)
            return try back(context, isDone, Message("console.transfers.flash.declined"))
        }
        router.post(Self.withdrawal, needs: .dangerZone, at: .appIDs, countsForTeam: false) { context, _, id in
            let isDone = try await transfers.withdraw(id, in: context.teamID, by: context.actor, from: context.origin)
            return try back(context, isDone, Message("console.transfers.flash.withdrawn"))
        }
    }

    private func show(_ context: TeamContext, _ form: TransferForm = TransferForm()) async throws -> Response {
        let team = context.teamID
        let known = try await list.list(in: team, at: clock())
        let mayChange = context.may(.dangerZone)
        var form = form
        if form.appID.isEmpty { form.appID = try context.request.parameters()["app"] ?? "" }
        let primaries = try await registry.primaries(in: team)
        let view = TransferPage(
            frame: context.frame(Message("console.transfers.title")),
            transfers: known.map { $0.row(in: team, mayChange: mayChange) },
            offer: mayChange && !primaries.isEmpty
                ? FormView(action: Self.transfers.link(team), errors: [], inputs: form.inputs(of: primaries)) : nil)
        return site.respond(page, view, status: form.problem == nil ? .ok : .unprocessableContent)
    }

    private func offer(_ context: TeamContext, _ sent: Form) async throws -> Response {
        var form = TransferForm(sent)
        guard let appID = ClientID(rawValue: form.appID) else { throw UserFacingError(HTTPError.badRequest) }
        do {
            guard let target = TeamID(rawValue: form.target.trimmed.uppercased()) else {
                throw TransferRefusal.unknownTeam
            }
            _ = try await transfers.offer(
                appID, to: target, in: context.teamID, by: context.actor, from: context.origin)
        } catch let refusal as TransferRefusal {
            form.problem = refusal.words
            return try await show(context, form)
        }
        return context.redirect(
            to: Self.transfers.link(context.teamID), saying: .good(Message("console.transfers.flash.offered")))
    }

    /// A pending offer to this team.
    ///
    /// - Throws: `UserFacingError.notFound` if there is none.
    private func offered(_ id: TransferID, _ context: TeamContext) async throws -> AppTransfer {
        guard let transfer = try await list.find(id, in: context.teamID, at: clock()),
            transfer.target == context.teamID, transfer.state == .offered
        else { throw UserFacingError.notFound }
        return transfer
    }

    private func accept(_ context: TeamContext, _ form: Form, _ id: TransferID) async throws -> Response {
        let transfer = try await offered(id, context)
        let confirmation = Confirmation(form, expecting: transfer.appID.rawValue)
        guard confirmation.reason != nil else {
            let view = TransferAcceptancePage(transfer, context, confirmation)
            return site.respond(acceptancePage, view, status: confirmation.status)
        }
        let outcome: Result<ClientID?, FormProblems>
        do {
            outcome = try await FormProblems.collect {
                try await transfers.accept(
                    id, policy: context.addressPolicy, in: context.teamID, by: context.actor, from: context.origin)
            }
        } catch let refusal as TransferRefusal {
            return context.redirect(to: Self.transfers.link(context.teamID), saying: .bad(refusal.words))
        }
        switch outcome {
        case .failure(let problems):
            let reasons = problems.all.map { context.site.text($0.message) }.joined(separator: " ")
            return context.redirect(
                to: Self.transfers.link(context.teamID),
                saying: .bad(Message("console.transfers.flash.refused", ["reasons": reasons])))
        case .success(nil): throw UserFacingError.notFound
        case .success(let appID?):
            registry.changed(context.teamID)
            return context.redirect(
                to: ConsoleRoutes.appID.link(context.teamID, appID),
                saying: .good(Message("console.transfers.flash.accepted")))
        }
    }

    private func back(_ context: TeamContext, _ isDone: Bool, _ words: Message) throws -> Response {
        guard isDone else { throw UserFacingError.notFound }
        return context.redirect(to: Self.transfers.link(context.teamID), saying: .good(words))
    }

    static var views: [any View.Type] { [TransferPage.self, TransferAcceptancePage.self] }
}
