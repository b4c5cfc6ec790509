import Core
import HTTP
import Platform
import Postgres
import Registry
import SignIn
import Templates

/// Handlers of App IDs: list, register, show, edit, group, delete.
struct AppIDResource: ListedResource {
    let parts: Console.Parts

    let routes = RegistryRoutes.appIDs
    let section = Section.appIDs
    let right = Right.changeRegistry
    let deletionRight = Right.changeUsers

    static var views: [any View.Type] { [AppIDPage.self] }

    func list(_ context: TeamContext) async throws -> ListView {
        let team = context.teamID
        let search = ListFilter.search(
            Message("console.app-ids.search.label"), placeholder: Message("console.app-ids.search.placeholder"))
        let query = try ListQuery(context.request, at: routes.list.link(team), [search])
        let page = try await registry.appIDs.list(PageQuery(search: query.search, after: query.after), in: team)
        let new =
            context.may(right)
            ? LinkView(Message("console.registry.new-app-id"), routes.new.link(team), isPrimary: true) : nil
        return ListView(
            title: Message("console.app-ids.title"), about: Message("console.app-ids.about"),
            links: [LinkView(Message("console.transfers.title"), TransferPages.transfers.link(team)), new],
            query: query, content: .rows(page.items.map { row($0, team) }),
            paging: query.paging(Message("console.app-ids.found", count: page.total), next: page.next),
            none: .init("app", Message("console.app-ids.first"), Message("console.app-ids.first.about"), new),
            unmatched: .registry(query))
    }

    private func row(_ summary: AppIDSummary, _ team: TeamID) -> ListRow {
        let appID = summary.appID
        return ListRow(
            appID.description, at: routes.one.link(team, appID.identifier), codes: [appID.identifier.rawValue],
            end: [
                appID.isEnabled ? nil : .badge(.plain, Message("console.registry.sign-in-off")), .text(appID.grouping),
                .text(
                    Message(
                        "console.app-ids.row.service-ids",
                        ["number": summary.serviceIDs, "limit": Quota.serviceIDs.count])),
                .text(
                    Message(
                        "console.app-ids.row.keys", ["number": summary.activeKeys, "limit": Quota.activeKeys.count])),
            ])
    }

    func newPage(_ context: TeamContext, _ form: SettingsForm<AppID>, _ problems: FieldErrors) async throws -> Response
    {
        let primaries = try await registry.primaries(in: context.teamID)
        let inputs =
            [form.identityInput("identifier", problems, site)]
            + form.inputs(
                problems, site, of: ["description", "primary", "signIn"], options: Self.options(primaries, form))
        let view = NewPage(
            context, Message("console.registry.new-app-id"),
            backTo: LinkView(Message("console.app-ids.title"), routes.list.link(context.teamID)),
            creating(context, form, problems, inputs), button: Message("console.app-ids.register"))
        return context.site.respond(view, status: problems.status)
    }

    /// The App IDs that it can be grouped under.
    private static func options(_ primaries: [AppID], _ form: SettingsForm<AppID>) -> [String: [Option]] {
        ["primary": Option.appIDs(primaries, chosen: form["primary"], none: Message("console.app-ids.primary.none"))]
    }

    func show(_ appID: AppID, _ context: TeamContext, _ rejected: RejectedForm<AppID>) async throws -> Response {
        let (team, id) = (context.teamID, appID.identifier)
        let services = try await registry.serviceIDs.list(of: id, in: team).items
        let keys = try await registry.activeKeys(of: id, in: team)
        let consequences = try await registry.appIDs.consequences(of: id, in: team).orNotFound()
        let primaries = try await registry.primaries(in: team).filter { $0.identifier != id }
        let primary = appID.primary ?? id
        let connection = try await registry.appleConnections.find(of: primary, in: team)
        let hasServiceRoom = services.count < Quota.serviceIDs.count
        let hasKeyRoom = keys.count < Quota.activeKeys.count && appID.primary == nil
        let view = AppIDPage(
            frame: context.frame(appID.description), appID: appID,
            editing: editing(appID, context, rejected) {
                ($0.inputs($1, site, base: server.base(of: team), options: Self.options(primaries, $0)), [])
            },
            serviceIDs: services.map { service in
                ListRow(
                    service.description, at: ConsoleRoutes.serviceID.link(team, service.identifier),
                    codes: [service.identifier.rawValue], end: [.text(service.returnURLCount)])
            },
            newServiceIDURL: hasServiceRoom && context.may(.changeRegistry)
                ? "\(ConsoleRoutes.newServiceID.link(team))?app=\(id)" : nil,
            grouped: consequences.groupedAppIDs.map { ListRow($0.rawValue, at: ConsoleRoutes.appID.link(team, $0)) },
            keys: keys.map { $0.row(in: team) },
            newKeyURL: hasKeyRoom && context.may(.changeKeys) ? "\(ConsoleRoutes.newKey.link(team))?app=\(id)" : nil,
            apple: connection.map {
                ListRow(
                    Message("console.app-ids.apple.connected"),
                    at: RegistryRoutes.appleConnections.one.link(team, primary), codes: [$0.servicesID.rawValue])
            },
            connectURL: connection == nil && context.may(.changeKeys)
                ? AppleConnectionResource.newURL(for: primary, in: team) : nil,
            danger: danger(
                appID, context, rejected,
                summary: Message("console.app-ids.delete.summary", ["app": appID.description]),
                consequences: consequences.sentences, button: Message("console.app-ids.delete.button")),
            transferURL: "\(TransferPages.transfers.link(team))?app=\(id)")
        return context.site.respond(view, status: rejected.status)
    }
}

// Access to the registry.
extension AppIDResource {
    func find(_ id: ClientID, in team: TeamID) async throws -> AppID? { try await registry.appIDs.find(id, in: team) }

    func checkName(_ form: SettingsForm<AppID>, _ change: borrowing Change) async throws {
        guard let id = ClientID(rawValue: form["identifier"].trimmed) else { return }
        try await registry.appIDs.requireFree(id, change)
    }

    func create(_ form: SettingsForm<AppID>, _ context: TeamContext, _ change: borrowing Change) async throws -> AppID {
        try await registry.appIDs.create(
            try AppID.Draft(form["identifier"].trimmed, form.typed, policy: context.addressPolicy), change)
    }

    func update(_ appID: AppID, to typed: Typed, version: Int, _ context: TeamContext, _ change: borrowing Change)
        async throws -> Update<AppID>
    {
        let draft = try AppID.Draft(appID.identifier.rawValue, typed, policy: context.addressPolicy)
        return try await registry.appIDs.update(to: draft, version: version, change)
    }

    func delete(_ appID: AppID, reason: String, _ context: TeamContext, _ change: borrowing Change) async throws -> Bool
    { try await registry.appIDs.delete(appID.identifier, reason: reason, change) != nil }

    func createdMessage(_ appID: AppID) -> Flash? {
        .good(Message("console.app-ids.flash.registered", ["app": appID.description]))
    }

    func deletedMessage(_ appID: AppID) -> Flash {
        .good(Message("console.registry.flash.deleted", ["identifier": appID.identifier.rawValue]))
    }
}

extension AppID: DeclaredObject {
    static let identity = ["identifier"]
    static let words = SettingWords("console.app-ids")
    static let inputs: [String: FieldPath] = ["appID": "primary"]

    var key: ClientID { identifier }
    var identity: String { identifier.rawValue }
}

/// Page of one App ID with its Service IDs, group, keys and connection to Apple.
struct AppIDPage: FramedPage {
    static let template = "console/app-ids/show"
    static let fields = frameFields.with {
        $0.text("heading") { $0.appID.description }
        $0.group("identifier", CopyView.fields) {
            CopyView(Message("console.app-ids.copy"), $0.appID.identifier.rawValue)
        }
        $0.group("signInBadge", BadgeView.fields) { $0.badge }
        $0.words("grouping") { $0.appID.grouping }
        $0.optionalGroup("editing", FormView.fields) { $0.editing }
        $0.list("details", SettingView.fields) { $0.details }
        $0.rows("serviceIDs") { $0.serviceIDs }
        $0.words("serviceIDCount") { page in
            Message("console.registry.of", ["number": page.serviceIDs.count, "limit": Quota.serviceIDs.count])
        }
        $0.optionalText("newServiceIDURL") { $0.newServiceIDURL }
        $0.rows("grouped") { $0.grouped }
        $0.rows("keys") { $0.keys }
        $0.words("keyCount") { page in
            Message("console.registry.of", ["number": page.keys.count, "limit": Quota.activeKeys.count])
        }
        $0.optionalText("newKeyURL") { $0.newKeyURL }
        $0.rows("apple") { $0.apple.map { [$0] } ?? [] }
        $0.optionalText("connectURL") { $0.connectURL }
        $0.text("transferURL") { $0.transferURL }
        $0.optionalGroup("danger", DangerView.fields) { $0.danger }
    }

    let frame: ConsoleFrame
    let appID: AppID
    let editing: FormView?
    let serviceIDs: [ListRow]
    let newServiceIDURL: String?
    /// App IDs grouped under this one.
    let grouped: [ListRow]
    /// Active keys.
    let keys: [ListRow]
    let newKeyURL: String?
    /// Connection of the App ID's group to Apple.
    let apple: ListRow?
    /// URL of the form that connects the group.
    let connectURL: String?
    let danger: DangerView?
    let transferURL: String

    private var badge: BadgeView {
        appID.isEnabled
            ? BadgeView(.good, Message("console.registry.sign-in-on"))
            : BadgeView(.warn, Message("console.registry.sign-in-off"))
    }

    private var details: [SettingView] { SettingsForm(appID).facts() }
}

extension AppID {
    /// Text about its grouping: primary App ID, or grouped under another one.
    var grouping: Message {
        guard let primary = settings.primary else { return Message("console.registry.primary") }
        return Message("console.registry.grouped", ["primary": primary.rawValue])
    }
}

extension AppIDConsequences {
    /// Consequences of deleting the App ID, one sentence each.
    var sentences: [Message] {
        var sentences: [Message] = []
        if !serviceIDs.isEmpty {
            sentences.append(Message("console.app-ids.delete.service-ids", ["identifiers": serviceIDs.map(\.rawValue)]))
        }
        if !activeKeys.isEmpty {
            sentences.append(Message("console.app-ids.delete.keys", ["keys": activeKeys.map(\.rawValue)]))
        }
        if !appleKeys.isEmpty {
            sentences.append(Message("console.app-ids.delete.apple-keys", ["keys": appleKeys.map(\.rawValue)]))
        }
        if !groupedAppIDs.isEmpty {
            sentences.append(Message("console.app-ids.delete.grouped", ["identifiers": groupedAppIDs.map(\.rawValue)]))
        }
        if people > Self.countLimit {
            sentences.append(Message("console.app-ids.delete.more-people", count: Self.countLimit))
        } else if people > 0 {
            sentences.append(Message("console.app-ids.delete.people", count: people))
        }
        return sentences
    }
}
