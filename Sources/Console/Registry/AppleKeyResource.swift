import Core
import HTTP
import Platform
import Postgres
public import Registry
import SignIn
import Templates

/// Handlers of Apple keys: import, edit, remove.
struct AppleKeyResource: RegistryResource {
    let parts: Console.Parts

    let routes = RegistryRoutes.appleKeys
    let section = Section.keys
    let right = Right.changeKeys

    static var views: [any View.Type] { [AppleKeyPage.self] }

    /// The list of keys, which also contains the Apple keys.
    func home(of team: TeamID) -> String { ConsoleRoutes.keys.link(team) }

    func emptyForm(_ context: TeamContext) -> SettingsForm<AppleKey> {
        SettingsForm(["appID": (try? context.request.query())?["app"] ?? ""])
    }

    func newPage(_ context: TeamContext, _ form: SettingsForm<AppleKey>, _ problems: FieldErrors) async throws
        -> Response
    {
        let primaries = try await registry.primaries(in: context.teamID)
        let view = NewPage(
            context, Message("console.apple-keys.new"), about: Message("console.apple-keys.new.lead"),
            backTo: LinkView(Message("console.keys.title"), home(of: context.teamID)),
            primaries.isEmpty ? nil : creating(context, form, problems, inputs(form, problems, of: primaries)),
            button: Message("console.apple-keys.import"), simulator: SimulatorSetup(parts.simulator))
        return context.site.respond(view, status: problems.status)
    }

    /// The inputs of a new key of one of `primaries`; the private key is always empty, because it must not be sent back.
    private func inputs(_ form: SettingsForm<AppleKey>, _ problems: FieldErrors, of primaries: [AppID]) -> [Input] {
        var errors = problems
        // Each time the form is shown again, the key has to be chosen again.
        if !problems.isEmpty, problems["privateKey"] == nil {
            errors.add("privateKey", Message("console.apple-keys.privateKey.again"))
        }
        let privateKey = Input(
            "privateKey", AppleKey.words.label("privateKey"), as: .privateKey(lines: 6),
            hint: Message("console.apple-keys.privateKey.hint"), errors: errors, isCode: true)
        let parent = Input.appIDs(
            primaries, chosen: form["appID"], label: AppleKey.words.label("appID"),
            hint: Message("console.apple-keys.appID.hint"), errors: problems)
        return [privateKey, form.identityInput("id", problems, site)] + form.inputs(problems, site) + [parent]
    }

    func show(_ key: AppleKey, _ context: TeamContext, _ rejected: RejectedForm<AppleKey>) async throws -> Response {
        let view = AppleKeyPage(
            frame: context.frame(key.name), team: context.teamID, appleKey: key,
            connectURL: context.may(right) ? try await connectURL(key, context.teamID) : nil,
            editing: editing(key, context, rejected) { ($0.inputs($1, site), []) },
            danger: danger(
                key, context, rejected, summary: Message("console.apple-keys.danger.summary"),
                consequences: [Message("console.apple-keys.danger.second")],
                button: Message("console.apple-keys.danger.button")))
        return context.site.respond(view, status: rejected.status)
    }

    private func connectURL(_ key: AppleKey, _ team: TeamID) async throws -> String? {
        guard try await registry.appleConnections.find(of: key.appID, in: team) == nil else { return nil }
        return "\(AppleConnectionResource.newURL(for: key.appID, in: team))&key=\(key.id)"
    }
}

// Access to the registry.
extension AppleKeyResource {
    func find(_ id: KeyID, in team: TeamID) async throws -> AppleKey? {
        try await registry.appleKeys.find(id, in: team)
    }

    /// The id is converted to upper case, as Apple writes it.
    func create(_ form: SettingsForm<AppleKey>, _ context: TeamContext, _ change: borrowing Change) async throws
        -> AppleKey
    {
        let new = try AppleKey.Import(
            form["id"].trimmed.uppercased(), of: form["appID"], privateKey: form["privateKey"].trimmed, form.typed)
        return try await registry.appleKeys.create(new, change)
    }

    func update(_ key: AppleKey, to typed: Typed, version: Int, _ context: TeamContext, _ change: borrowing Change)
        async throws -> Update<AppleKey>
    {
        let settings = try AppleKey.Settings(typed, policy: context.addressPolicy)
        return try await registry.appleKeys.update(key.id, to: settings, version: version, change)
    }

    func delete(_ key: AppleKey, reason: String, _ context: TeamContext, _ change: borrowing Change) async throws
        -> Bool
    { try await registry.appleKeys.delete(key.id, reason: reason, change) != nil }

    func createdMessage(_ key: AppleKey) -> Flash? {
        .good(Message("console.apple-keys.flash.imported", ["key": key.id.rawValue]))
    }

    func deletedMessage(_ key: AppleKey) -> Flash {
        .good(Message("console.apple-keys.flash.deleted", ["key": key.id.rawValue]))
    }
}

extension AppleKey: DeclaredObject {
    static let identity = ["privateKey", "id", "appID"]
    static let words = SettingWords("console.apple-keys")

    var key: KeyID { id }
    var identity: String { id.rawValue }
}

/// Page of one Apple key: its properties, settings, removal.
struct AppleKeyPage: FramedPage {
    static let template = "console/apple-keys/show"
    static let fields = frameFields.with {
        $0.text("name") { $0.appleKey.name }
        $0.group("keyID", CopyView.fields) { CopyView(Message("console.apple-keys.id.label"), $0.appleKey.id.rawValue) }
        $0.group("appID", appIDFields) { $0 }
        $0.group("teamID", CopyView.fields) {
            CopyView(Message("console.apple-keys.teamID.label"), $0.appleKey.appleTeamID.rawValue)
        }
        $0.group("fingerprint", CopyView.fields) {
            CopyView(Message("console.apple-keys.fingerprint"), $0.appleKey.fingerprint)
        }
        $0.group("created", TimeView.fields) { TimeView($0.appleKey.createdAt) }
        $0.optionalText("connectURL") { $0.connectURL }
        $0.optionalGroup("editing", FormView.fields) { $0.editing }
        $0.optionalGroup("danger", DangerView.fields) { $0.danger }
    }

    private static let appIDFields = Fields<AppleKeyPage> {
        $0.text("url") { ConsoleRoutes.appID.link($0.team, $0.appleKey.appID) }
        $0.text("identifier") { $0.appleKey.appID.rawValue }
    }

    let frame: ConsoleFrame
    let team: TeamID
    let appleKey: AppleKey
    /// URL of the form that connects the key's App ID to Apple; nil if connected, or without the right to change keys.
    let connectURL: String?
    let editing: FormView?
    let danger: DangerView?
}
