import Core
import HTTP
import Platform
import Postgres
import Registry
import SignIn
import Templates

/// Handlers of Service IDs: list, create, show, edit, delete.
struct ServiceIDResource: ListedResource {
    let parts: Console.Parts

    let routes = RegistryRoutes.serviceIDs
    let section = Section.serviceIDs
    let right = Right.changeRegistry
    let deletionRight = Right.changeUsers

    static var views: [any View.Type] { [ServiceIDPage.self] }

    /// The settings of each part of the form.
    private static let addresses = ["description", "domains", "returnURLs"]
    private static let tokens = ["issuer", "booleans", "requirePKCE"]

    func list(_ context: TeamContext) async throws -> ListView {
        let team = context.teamID
        let search = ListFilter.search(
            Message("console.service-ids.search.label"), placeholder: Message("console.service-ids.search.placeholder"))
        let query = try ListQuery(context.request, at: routes.list.link(team), [search])
        let page = try await registry.serviceIDs.list(PageQuery(search: query.search, after: query.after), in: team)
        let new =
            context.may(right)
            ? LinkView(Message("console.registry.new-service-id"), routes.new.link(team), isPrimary: true) : nil
        return ListView(
            title: Message("console.service-ids.title"), about: Message("console.service-ids.about"), links: [new],
            query: query,
            content: .rows(
                page.items.map { service in
                    ListRow(
                        service.description, at: routes.one.link(team, service.identifier),
                        codes: [service.identifier.rawValue],
                        end: [
                            .text(Message("console.service-ids.row.of", ["app": service.appDescription])),
                            .text(service.returnURLCount),
                        ])
                }), paging: query.paging(Message("console.service-ids.found", count: page.total), next: page.next),
            none: try await registry.hasAppIDs(in: team)
                ? .init(
                    "service", Message("console.service-ids.first"), Message("console.service-ids.first.about"), new)
                : .firstAppID("service", Message("console.service-ids.first.app-id"), context),
            unmatched: .registry(query))
    }

    func emptyForm(_ context: TeamContext) -> SettingsForm<ServiceID> {
        SettingsForm(["appID": (try? context.request.query())?["app"] ?? ""])
    }

    func newPage(_ context: TeamContext, _ form: SettingsForm<ServiceID>, _ problems: FieldErrors) async throws
        -> Response
    {
        let appIDs = try await registry.allAppIDs(in: context.teamID)
        let view = NewPage(
            context, Message("console.registry.new-service-id"),
            backTo: LinkView(Message("console.service-ids.title"), routes.list.link(context.teamID)),
            appIDs.isEmpty
                ? nil
                : creating(
                    context, form, problems,
                    [
                        .appIDs(
                            appIDs, chosen: form["appID"], label: ServiceID.words.label("appID"),
                            hint: Message("console.service-ids.appID.hint", count: Quota.serviceIDs.count),
                            errors: problems), form.identityInput("identifier", problems, site),
                    ] + form.inputs(problems, site, of: Self.addresses)), button: Message("console.service-ids.create"))
        return context.site.respond(view, status: problems.status)
    }

    func show(_ service: ServiceID, _ context: TeamContext, _ rejected: RejectedForm<ServiceID>) async throws
        -> Response
    {
        let (team, id) = (context.teamID, service.identifier)
        let keys = try await registry.activeKeys(ofGroupOf: service.appID, in: team)
        let domains = try await registry.domains.list(of: id, in: team)
        let view = ServiceIDPage(
            frame: context.frame(service.description), team: team, service: service,
            testSignInURL: context.may(right) ? TestSignInRoutes.new.link(team, id) : nil,
            editing: editing(service, context, rejected) {
                (
                    $0.inputs($1, site, of: Self.addresses),
                    $0.inputs($1, site, of: Self.tokens, base: server.base(of: team))
                )
            },
            domains: domains.map { domain in
                ListRow(
                    domain.name.text, at: RegistryRoutes.domain.link(team, domain.name.text),
                    end: [
                        .last(
                            Message("console.service-domains.checked"), domain.checkedAt,
                            never: Message("console.service-domains.never")),
                        .badge(domain.badge(isNeeded: context.team.settings.requiresVerifiedDomains)),
                    ])
            }, settings: ClientSettings(team: team, server: server).views(of: service, keys: keys),
            keysURL: keys.isEmpty ? ConsoleRoutes.appID.link(team, service.appID) : nil,
            danger: danger(
                service, context, rejected,
                summary: Message("console.service-ids.delete.summary", ["service": service.description]),
                consequences: [
                    Message("console.service-ids.delete.tokens"),
                    Message("console.service-ids.delete.consents", ["app": service.appID.rawValue]),
                ], button: Message("console.service-ids.delete.button")))
        return context.site.respond(view, status: rejected.status)
    }
}

// Access to the registry.
extension ServiceIDResource {
    func find(_ id: ClientID, in team: TeamID) async throws -> ServiceID? {
        try await registry.serviceIDs.find(id, in: team)
    }

    func checkName(_ form: SettingsForm<ServiceID>, _ change: borrowing Change) async throws {
        guard let id = ClientID(rawValue: form["identifier"].trimmed) else { return }
        try await registry.serviceIDs.requireFree(id, change)
    }

    func create(_ form: SettingsForm<ServiceID>, _ context: TeamContext, _ change: borrowing Change) async throws
        -> ServiceID
    {
        guard let appID = ClientID(rawValue: form["appID"]) else {
            let message = Message("console.service-ids.appID.missing")
            throw FieldErrors("appID", message)
        }
        return try await registry.serviceIDs.create(
            try ServiceID.Draft(form["identifier"].trimmed, of: appID, form.typed, policy: context.addressPolicy),
            change)
    }

    func update(_ service: ServiceID, to typed: Typed, version: Int, _ context: TeamContext, _ change: borrowing Change)
        async throws -> Update<ServiceID>
    {
        let draft = try ServiceID.Draft(
            service.identifier.rawValue, of: service.appID, typed, policy: context.addressPolicy)
        return try await registry.serviceIDs.update(to: draft, version: version, change)
    }

    func delete(_ service: ServiceID, reason: String, _ context: TeamContext, _ change: borrowing Change) async throws
        -> Bool
    { try await registry.serviceIDs.delete(service.identifier, reason: reason, change) != nil }

    func createdMessage(_ service: ServiceID) -> Flash? {
        .good(Message("console.service-ids.flash.created", ["service": service.description]))
    }

    func deletedMessage(_ service: ServiceID) -> Flash {
        .good(Message("console.registry.flash.deleted", ["identifier": service.identifier.rawValue]))
    }
}

extension ServiceID: DeclaredObject {
    static let identity = ["appID", "identifier"]
    static let words = SettingWords("console.service-ids")

    var key: ClientID { identifier }
    var identity: String { identifier.rawValue }
}

/// Page of one Service ID: its settings, its domains, and the settings for a client library.
struct ServiceIDPage: FramedPage {
    static let template = "console/service-ids/show"
    static let fields = frameFields.with {
        $0.text("heading") { $0.service.description }
        $0.group("identifier", CopyView.fields) {
            CopyView(Message("console.service-ids.copy"), $0.service.identifier.rawValue)
        }
        $0.group("appID", parentFields) { $0 }
        $0.optionalText("testSignInURL") { $0.testSignInURL }
        $0.optionalGroup("editing", FormView.fields) { $0.editing }
        $0.list("details", SettingView.fields) { $0.details }
        $0.rows("domains") { $0.domains }
        $0.list("settings", CopyView.fields) { $0.settings }
        $0.optionalText("keysURL") { $0.keysURL }
        $0.optionalGroup("danger", DangerView.fields) { $0.danger }
    }

    private static let parentFields = Fields<ServiceIDPage> {
        $0.text("url") { ConsoleRoutes.appID.link($0.team, $0.service.appID) }
        $0.text("identifier") { $0.service.appID.rawValue }
    }

    let frame: ConsoleFrame
    let team: TeamID
    let service: ServiceID
    let testSignInURL: String?
    let editing: FormView?
    let domains: [ListRow]
    let settings: [CopyView]
    let keysURL: String?
    let danger: DangerView?

    private var details: [SettingView] { SettingsForm(service).facts() }
}

extension ServiceIDSummary {
    var returnURLCount: Message {
        Message("console.service-ids.row.return-urls", ["number": returnURLs, "limit": Quota.returnURLs.count])
    }
}
