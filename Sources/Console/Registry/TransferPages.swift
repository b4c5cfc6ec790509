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

    let parts: Console.Parts

    private var list: AppTransferStore { AppTransferStore(database) }
    private var transfers: AppTransfers { AppTransfers(database, server: server) }

    func mount(on router: inout ConsoleRouter) {
        router.get(Self.transfers, needs: .read, at: .appIDs) { try await show($0) }
        router.post(Self.transfers, needs: .dangerZone, at: .appIDs) { try await offer($0, $1) }
        router.get(Self.acceptance, needs: .dangerZone, at: .appIDs) { context, id in
            let transfer = try await offered(id, context)
            return site.respond(TransferAcceptancePage(transfer, context))
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
        let known = try await list.list(in: team, at: server.clock())
        let mayChange = context.may(.dangerZone)
        var form = form
        if form.appID.isEmpty { form.appID = try context.request.parameters()["app"] ?? "" }
        let free = try await offerable(in: team, beside: known)
        let view = TransferPage(
            frame: context.frame(Message("console.transfers.title")),
            transfers: known.map { $0.row(in: team, mayChange: mayChange) },
            offer: mayChange && !free.isEmpty
                ? FormView(action: Self.transfers.link(team), errors: form.errors.links, inputs: form.inputs(of: free))
                : nil, mayOffer: mayChange)
        return site.respond(view, status: form.errors.status)
    }

    /// The App IDs that are in no group and not under way to another team.
    private func offerable(in team: TeamID, beside known: [AppTransfer]) async throws -> [AppID] {
        let all = try await registry.allAppIDs(in: team)
        let grouped = Set(all.compactMap(\.primary))
        let since = server.clock() - AppTransfer.window
        let underWay = known.filter { transfer in
            transfer.state == .offered || transfer.state == .accepted && transfer.settledAt.map { $0 > since } == true
        }
        let taken = Set(underWay.filter { $0.source == team }.map(\.appID))
        return all.filter { $0.primary == nil && !grouped.contains($0.identifier) && !taken.contains($0.identifier) }
    }

    private func offer(_ context: TeamContext, _ sent: Form) async throws -> Response {
        var form = TransferForm(sent)
        guard let appID = ClientID(rawValue: form.appID) else {
            form.errors.add("appID", Message("console.registry.choose-app-id"))
            return try await show(context, form)
        }
        do {
            guard let target = TeamID(rawValue: form.target.trimmed.uppercased()) else {
                throw TransferRefusal.unknownTeam
            }
            _ = try await transfers.offer(
                appID, to: target, in: context.teamID, by: context.actor, from: context.origin)
        } catch let refusal as TransferRefusal {
            form.errors.add("target", refusal.words)
            return try await show(context, form)
        }
        return context.redirect(
            to: Self.transfers.link(context.teamID), saying: .good(Message("console.transfers.flash.offered")))
    }

    /// A pending offer to this team.
    ///
    /// - Throws: `UserFacingError.notFound` if there is none.
    private func offered(_ id: TransferID, _ context: TeamContext) async throws -> AppTransfer {
        guard let transfer = try await list.find(id, in: context.teamID, at: server.clock()),
            transfer.target == context.teamID, transfer.state == .offered
        else { throw UserFacingError.notFound }
        return transfer
    }

    private func accept(_ context: TeamContext, _ form: Form, _ id: TransferID) async throws -> Response {
        let transfer = try await offered(id, context)
        let confirmation = Confirmation(form, expecting: transfer.appID.rawValue)
        guard let reason = confirmation.reason else {
            let view = TransferAcceptancePage(transfer, context, confirmation)
            return site.respond(view, status: confirmation.status)
        }
        let outcome: Result<ClientID?, FieldErrors>
        do {
            outcome = try await FieldErrors.collect {
                try await transfers.accept(
                    id, because: reason, policy: context.addressPolicy, in: context.teamID, by: context.actor,
                    from: context.origin)
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

/// Transfers of App IDs to and from other teams, with the form that offers one.
struct TransferPage: FramedPage {
    static let template = "console/transfers/index"
    static let fields = frameFields.with {
        $0.rows("transfers") { $0.transfers }
        $0.optionalGroup("offer", FormView.fields) { $0.offer }
        $0.flag("nothingToOffer") { $0.mayOffer && $0.offer == nil }
    }

    let frame: ConsoleFrame
    let transfers: [ListRow]
    /// Nil if the team has no App ID that can be offered, or if the account may not offer one.
    let offer: FormView?
    let mayOffer: Bool
}

/// Form of an offer as entered.
struct TransferForm: Sendable {
    var appID: String
    let target: String
    var errors = FieldErrors()

    init() { (appID, target) = ("", "") }

    init(_ form: Form) {
        appID = form["appID"] ?? ""
        target = form["target"] ?? ""
    }

    func inputs(of primaries: [AppID]) -> [Input] {
        [
            .appIDs(
                primaries, chosen: appID, label: Message("console.transfers.app-id"),
                hint: Message("console.transfers.app-id.hint"), errors: errors),
            Input(
                "target", Message("console.transfers.target"), target, hint: Message("console.transfers.target.hint"),
                errors: errors, isCode: true),
        ]
    }
}

extension AppTransfer {
    /// The transfer in the list of a team, which is its source or its target.
    func row(in team: TeamID, mayChange: Bool) -> ListRow {
        let (isIncoming, mayAnswer) = (target == team, mayChange && state == .offered)
        let services = registration.services.map(\.identifier)
        let direction =
            isIncoming
            ? Message("console.transfers.from", ["team": source.rawValue])
            : Message("console.transfers.to", ["team": target.rawValue])
        let answers: [RowPart] =
            isIncoming
            ? [
                .link(
                    Message("console.transfers.review"), TransferPages.acceptance.link(team, id), for: appID.rawValue),
                .button(Message("console.transfers.decline"), TransferPages.refusal.link(team, id)),
            ] : [.button(Message("console.transfers.withdraw"), TransferPages.withdrawal.link(team, id))]
        return ListRow(
            appID.rawValue,
            notes: [
                .text(direction), .text(Message("console.transfers.offered"), offeredAt),
                closesAt.map { .text(Message("console.transfers.closes"), $0) },
                services.isEmpty ? nil : .text(Message("console.transfers.service-ids", ["identifiers": services])),
            ], end: [.badge(badge)] + (mayAnswer ? answers : []))
    }

    private var badge: BadgeView {
        BadgeView(state, in: "console.transfers.state", good: [.accepted], warn: [.offered])
    }
}

extension TransferRefusal {
    var words: Message {
        self == .notAllowed
            ? Message("shared.problems.forbidden.headline") : Message(in: "console.transfers.refusal", rawValue)
    }
}

/// What is transferred with an App ID that another team offers, with the form that accepts it.
struct TransferAcceptancePage: FramedPage {
    static let template = "console/transfers/acceptance"
    static let fields = frameFields.with {
        $0.text("backURL") { TransferPages.transfers.link($0.team) }
        $0.text("appID") { $0.transfer.appID.rawValue }
        $0.text("description") { $0.transfer.registration.app.settings["description"]?.string ?? "" }
        $0.text("source") { $0.transfer.source.rawValue }
        $0.group("offered", TimeView.fields) { TimeView($0.transfer.offeredAt) }
        $0.optionalText("notificationURL") { page in
            let url = page.transfer.registration.app.settings["notificationURL"]?.string
            return url?.isEmpty == true ? nil : url
        }
        $0.words("people") { Self.users($0.transfer.registration.people) }
        $0.list("services", serviceFields) { $0.transfer.registration.services }
        $0.group("danger", DangerView.fields) { $0.danger }
    }

    private static func users(_ count: Int) -> Message {
        let limit = AppIDConsequences.countLimit
        return count > limit
            ? Message("console.transfers.more-people", count: limit) : Message("console.transfers.people", count: count)
    }

    /// A Service ID that is transferred with the App ID.
    private static let serviceFields = Fields<RegistryEntry> {
        $0.text("identifier") { $0.identifier }
        $0.text("description") { $0.settings["description"]?.string ?? "" }
        $0.list("domains", Fields<String> { $0.text("text") { $0 } }) { $0.settings["domains"]?.strings ?? [] }
        $0.list("returnURLs", Fields<String> { $0.text("text") { $0 } }) { $0.settings["returnURLs"]?.strings ?? [] }
    }

    let frame: ConsoleFrame
    let team: TeamID
    let transfer: AppTransfer
    private let danger: DangerView

    /// - Parameter confirmation: the submitted confirmation; nil for an empty form.
    init(_ transfer: AppTransfer, _ context: TeamContext, _ confirmation: Confirmation? = nil) {
        frame = context.frame(Message("console.transfers.acceptance"))
        team = context.teamID
        self.transfer = transfer
        danger = (confirmation ?? Confirmation(expecting: transfer.appID.rawValue)).view(
            action: TransferPages.acceptance.link(context.teamID, transfer.id),
            summary: Message("console.transfers.acceptance.summary"),
            consequences: [
                Message("console.transfers.acceptance.urls"), Message("console.transfers.acceptance.people"),
            ], button: Message("console.transfers.accept"))
    }
}
