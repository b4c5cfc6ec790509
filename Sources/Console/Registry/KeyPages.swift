import Core
import HTTP
import Platform
import Registry
import SignIn
import Templates

/// Handlers of keys: list, create, download once, revoke.
struct KeyPages: ConsolePages {
    let parts: Console.Parts

    func mount(on router: inout ConsoleRouter) {
        router.get(ConsoleRoutes.keys, needs: .read, at: .keys) { try await index($0) }
        router.get(ConsoleRoutes.newKey, needs: .changeKeys, at: .keys) { context in
            let chosen = (try? context.request.query())?["app"] ?? ""
            return try await newPage(context, name: "", appID: chosen, FieldErrors())
        }
        router.post(ConsoleRoutes.keys, needs: .changeKeys, at: .keys) { context, form in
            try await issue(context, name: form["name"] ?? "", appID: form["appID"] ?? "")
        }
        router.get(ConsoleRoutes.key, needs: .read, at: .keys) { context, id in
            try await respond(context, try await find(id, context))
        }
        router.post(RegistryRoutes.keyDownload, needs: .changeKeys, at: .keys) { context, _, id in
            try await download(context, id)
        }
        router.post(RegistryRoutes.keyRevocation, needs: .changeKeys, at: .keys, countsForTeam: false) {
            context, form, id in try await revoke(context, form, try await find(id, context))
        }
    }

    private func index(_ context: TeamContext) async throws -> Response {
        let team = context.teamID
        let search = ListFilter.search(
            Message("console.keys.search.label"), placeholder: Message("console.keys.search.placeholder"))
        let query = try ListQuery(context.request, at: ConsoleRoutes.keys.link(team), [search])
        let page = try await registry.keys.list(PageQuery(search: query.search, after: query.after), in: team)
        let mayChange = context.may(.changeKeys)
        let new =
            mayChange
            ? LinkView(Message("console.registry.new-key"), ConsoleRoutes.newKey.link(team), isPrimary: true) : nil
        let keys = ListView(
            title: Message("console.keys.title"), about: Message("console.keys.about"), links: [new], query: query,
            content: .rows(page.items.map { $0.row(in: team, isWhole: true) }),
            paging: query.paging(Message("console.keys.found", count: page.total), next: page.next),
            none: try await registry.hasAppIDs(in: team)
                ? .init("key", Message("console.keys.first"), Message("console.keys.first.about"), new)
                : .firstAppID("key", Message("console.keys.first.app-id"), context), unmatched: .registry(query))
        let appleKeys = try await registry.appleKeys.list(in: team).map { key in
            ListRow(
                key.name, at: RegistryRoutes.appleKeys.one.link(team, key.id), codes: [key.id.rawValue],
                end: [.text(key.appID.rawValue)])
        }
        let view = KeyListPage(
            frame: context.frame(keys.title), list: keys, appleKeys: appleKeys,
            importURL: mayChange ? RegistryRoutes.appleKeys.new.link(team) : nil)
        return context.site.respond(view)
    }

    private static let labels = ["appID": Message("console.registry.app-id"), "name": Message("console.registry.name")]

    private func newPage(_ context: TeamContext, name: String, appID: String, _ problems: FieldErrors) async throws
        -> Response
    {
        let primaries = try await registry.primaries(in: context.teamID)
        let full = try await registry.keys.fullAppIDs(in: context.teamID).map { appID in
            let limit = Quota.activeKeys.count
            return (appID, Message("console.keys.app-id.full", ["number": limit, "limit": limit]))
        }
        let inputs: [Input] = [
            Input(
                "name", Message("console.registry.name"), name, placeholder: Message("console.keys.name.placeholder"),
                hint: Message("console.keys.name.hint"), errors: problems),
            .appIDs(
                primaries, chosen: appID, disabled: Dictionary(uniqueKeysWithValues: full),
                label: Message("console.registry.app-id"), hint: Message("console.keys.app-id.hint"), errors: problems),
        ]
        let path = ConsoleRoutes.keys.link(context.teamID)
        let view = NewPage(
            context, Message("console.registry.new-key"), about: Message("console.keys.new.about"),
            backTo: LinkView(Message("console.keys.title"), path),
            primaries.isEmpty
                ? nil : FormView(action: path, errors: problems.links { Self.labels[$0.name] }, inputs: inputs),
            button: Message("console.keys.create"))
        return context.site.respond(view, status: problems.status)
    }

    private func issue(_ context: TeamContext, name: String, appID: String) async throws -> Response {
        let outcome = try await FieldErrors.collect {
            let issue = try Key.Issue(name: name, appID: appID)
            return try await registry.keys.issue(issue, in: context.teamID, by: context.actor, from: context.origin)
        }
        switch outcome {
        case .failure(let problems): return try await newPage(context, name: name, appID: appID, problems)
        case .success(let key):
            registry.changed(context.teamID)
            return context.redirect(to: ConsoleRoutes.key.link(context.teamID, key.id))
        }
    }

    private func download(_ context: TeamContext, _ id: KeyID) async throws -> Response {
        switch try await registry.keys.download(id, in: context.teamID, by: context.actor, from: context.origin) {
        case .file(let name, let pem): .attachment(pem, named: name, type: "application/x-pem-file")
        case .gone: throw UserFacingError.keyIsGone
        case .unreadable: throw UserFacingError.keyIsSealed
        case .notFound: throw UserFacingError.notFound
        }
    }

    private func revoke(_ context: TeamContext, _ sent: Form, _ key: Key) async throws -> Response {
        let confirmation = Confirmation(sent, expecting: key.id.rawValue)
        guard let reason = confirmation.reason else { return try await respond(context, key, confirmation) }
        _ = try await database.change(by: context) { change in
            try await registry.keys.revoke(key.id, reason: reason, change)
        }.orNotFound()
        registry.changed(context.teamID)
        return context.redirect(
            to: ConsoleRoutes.key.link(context.teamID, key.id), saying: .good(Message("console.keys.flash.revoked")))
    }

    static var views: [any View.Type] { [KeyListPage.self, KeyPage.self] }
}

// Page of one key.
extension KeyPages {
    private func find(_ id: KeyID, _ context: TeamContext) async throws -> Key {
        try await registry.keys.find(id, in: context.teamID).orNotFound()
    }

    private func respond(_ context: TeamContext, _ key: Key, _ confirmation: Confirmation? = nil) async throws
        -> Response
    {
        let team = context.teamID
        let mayChange = context.may(.changeKeys)
        let active = try await registry.activeKeys(of: key.appID, in: team)
        let hasRoom = active.count < Quota.activeKeys.count && mayChange
        let confirmation = confirmation ?? Confirmation(expecting: key.id.rawValue)
        let view = KeyPage(
            frame: context.frame(key.name), team: team, key: key,
            downloadURL: mayChange && key.privateHalf == .awaitingDownload
                ? RegistryRoutes.keyDownload.link(team, key.id) : nil,
            settings: key.revokedAt == nil ? ClientSettings(team: team, server: server).views(of: key) : [],
            active: key.isActive ? active.map { $0.row(in: team, isCurrent: $0.id == key.id) } : [],
            newKeyURL: hasRoom ? "\(ConsoleRoutes.newKey.link(team))?app=\(key.appID)" : nil,
            danger: mayChange && key.isActive
                ? confirmation.view(
                    action: RegistryRoutes.keyRevocation.link(team, key.id),
                    summary: Message("console.keys.revoke.summary"),
                    consequences: [Message("console.keys.revoke.advice")], button: Message("console.keys.revoke.button")
                ) : nil)
        return context.site.respond(view, status: confirmation.status)
    }
}

extension UserFacingError {
    /// The private key was already downloaded, which is possible only once.
    fileprivate static let keyIsGone = UserFacingError(.gone, "console.keys.gone")

    /// The private key is encrypted with another master key than the configured one.
    fileprivate static let keyIsSealed = UserFacingError(.internalServerError, "console.keys.sealed")
}

/// Page of one key: its one-time download, settings for client secrets, rotation, revocation.
struct KeyPage: FramedPage {
    static let template = "console/keys/show"
    static let fields = frameFields.with {
        $0.text("name") { $0.key.name }
        $0.group("keyID", CopyView.fields) { CopyView(Message("console.keys.copy"), $0.key.id.rawValue) }
        $0.group("state", BadgeView.fields) { $0.key.badge }
        $0.group("appID", appIDFields) { $0 }
        $0.optionalText("downloadURL") { $0.downloadURL }
        $0.text("fileName") { "AuthKey_\($0.key.id).p8" }
        $0.group("fingerprint", CopyView.fields) {
            CopyView(Message("console.keys.copy.fingerprint"), $0.key.fingerprint)
        }
        $0.group("created", TimeView.fields) { TimeView($0.key.createdAt) }
        $0.optionalGroup("lastUsed", TimeView.fields) { $0.key.lastUsedAt.map(TimeView.init) }
        $0.optionalGroup("revoked", TimeView.fields) { $0.key.revokedAt.map(TimeView.init) }
        $0.list("settings", CopyView.fields) { $0.settings }
        $0.rows("active") { $0.active }
        $0.optionalText("newKeyURL") { $0.newKeyURL }
        $0.optionalGroup("danger", DangerView.fields) { $0.danger }
    }

    private static let appIDFields = Fields<KeyPage> {
        $0.text("url") { ConsoleRoutes.appID.link($0.team, $0.key.appID) }
        $0.text("identifier") { $0.key.appID.rawValue }
    }

    let frame: ConsoleFrame
    let team: TeamID
    let key: Key
    /// URL of the download of the private key; nil once it was downloaded.
    let downloadURL: String?
    let settings: [CopyView]
    /// Active keys of the same App ID, to rotate without downtime; empty once the key is revoked.
    let active: [ListRow]
    let newKeyURL: String?
    let danger: DangerView?
}

/// List of a team's keys, newest first, and its imported Apple keys.
struct KeyListPage: FramedPage {
    static let template = "console/keys/index"
    static let fields = frameFields.with {
        $0.group("list", ListView.fields) { $0.list }
        $0.rows("appleKeys") { $0.appleKeys }
        $0.optionalText("importURL") { $0.importURL }
    }

    let frame: ConsoleFrame
    let list: ListView
    let appleKeys: [ListRow]
    let importURL: String?
}

extension Key {
    var badge: BadgeView {
        guard isActive else { return BadgeView(.bad, Message("console.keys.state.revoked")) }
        return privateHalf == .awaitingDownload
            ? BadgeView(.warn, Message("console.keys.state.waiting"))
            : BadgeView(.good, Message("console.keys.state.active"))
    }

    /// The key in a list.
    ///
    /// - Parameters:
    ///   - isCurrent: whether the page is that of the key.
    ///   - isWhole: whether the list has keys of any App ID and state.
    func row(in team: TeamID, isCurrent: Bool = false, isWhole: Bool = false) -> ListRow {
        ListRow(
            name, at: isCurrent ? nil : ConsoleRoutes.key.link(team, id), codes: [id.rawValue],
            end: [
                isWhole ? .text(Message("console.keys.row.for", ["app": appID.rawValue])) : nil,
                .last(Message("console.keys.last-used"), lastUsedAt, never: Message("console.keys.never-used")),
                isWhole ? .badge(badge) : nil, isCurrent ? .badge(.plain, Message("console.key-rotation.this")) : nil,
            ])
    }
}
