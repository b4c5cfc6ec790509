import Core
import Crypto
import EventLoop
import HTTP
import OAuth
import Platform
import Registry
import SignIn
import Templates

/// Page that revokes all tokens issued before now, for one client or the whole team, by a not-before time.
struct NotBeforePages: ConsolePages {
    static let notBefores = Route("/console/:team/not-before", TeamID.self)

    let parts: Console.Parts

    private var store: NotBeforeStore { NotBeforeStore(database) }

    func mount(on router: inout ConsoleRouter) {
        router.get(Self.notBefores, needs: .read, at: .signingKeys) { try await show($0) }
        router.post(Self.notBefores, needs: .dangerZone, at: .signingKeys) { try await cut($0, $1) }
    }

    private func show(_ context: TeamContext, client: String = "", _ confirmation: Confirmation? = nil) async throws
        -> Response
    {
        let confirmation = confirmation ?? Confirmation(expecting: context.teamID.rawValue)
        let danger = confirmation.view(
            action: Self.notBefores.link(context.teamID), summary: Message("console.not-before.summary"),
            consequences: [
                Message("console.not-before.sessions"), Message("console.not-before.consents"),
                Message("console.not-before.id-tokens"),
            ], button: Message("console.not-before.button"))
        let view = NotBeforePage(
            frame: context.frame(Message("console.not-before.title")),
            keysURL: SigningKeyPages.keys.link(context.teamID), records: try await store.list(in: context.teamID),
            danger: context.may(.dangerZone) ? danger : nil, clients: try await clients(in: context.teamID),
            client: client)
        return site.respond(view, status: confirmation.status)
    }

    private func cut(_ context: TeamContext, _ form: Form) async throws -> Response {
        let confirmation = Confirmation(form, expecting: context.teamID.rawValue)
        let client = form["client"] ?? ""
        guard let reason = confirmation.reason else { return try await show(context, client: client, confirmation) }
        let known = try await clients(in: context.teamID)
        guard client.isEmpty || known.contains(where: { $0.rawValue == client }) else { throw UserFacingError.notFound }
        try await store.set(
            ClientID(rawValue: client).map { .client($0) } ?? .team, to: server.clock(), reason: reason,
            in: context.teamID, by: context.actor, from: context.origin)
        registry.changed(context.teamID)
        return context.redirect(
            to: Self.notBefores.link(context.teamID), saying: .good(Message("console.not-before.flash.done")))
    }

    /// Identifiers of the team's App IDs and Service IDs.
    private func clients(in team: TeamID) async throws -> [ClientID] {
        let apps = try await registry.allAppIDs(in: team).map(\.identifier)
        return apps + (try await registry.serviceIDs.names(in: team))
    }

    static var views: [any View.Type] { [NotBeforePage.self] }
}

/// Not-before times of a team, with the form that sets one.
struct NotBeforePage: FramedPage {
    static let template = "console/not-before/index"
    static let fields = frameFields.with {
        $0.text("keysURL") { $0.keysURL }
        $0.rows("records") { $0.records.map(\.row) }
        $0.optionalGroup("danger", DangerView.fields) { $0.danger }
        $0.group("client", Input.fields) { $0.clientSelect }
    }

    let frame: ConsoleFrame
    let keysURL: String
    let records: [NotBefore]
    /// Nil if the account may not set one.
    let danger: DangerView?
    let clients: [ClientID]
    let client: String

    private var clientSelect: Input {
        let everyone = Option("", Message("console.not-before.whole-team"), isChosen: client.isEmpty)
        return Input(
            "client", Message("console.not-before.whose"),
            as: .list([everyone] + clients.map { Option($0.rawValue, $0.rawValue, isChosen: $0.rawValue == client) }))
    }
}

extension NotBefore {
    fileprivate var row: ListRow {
        let whose: any LocalizedTextConvertible =
            if case .client(let id) = scope { id.rawValue } else { Message("console.not-before.whole-team") }
        return ListRow(whose, end: [.text(Message("console.not-before.issued-before"), moment)])
    }
}
