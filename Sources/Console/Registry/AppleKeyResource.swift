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

    func emptyForm(_ context: TeamContext) -> AppleKeyForm {
        AppleKeyForm(of: (try? context.request.query())?["app"] ?? "")
    }

    func newPage(_ context: TeamContext, _ form: AppleKeyForm, _ problems: FieldErrors) async throws -> Response {
        let primaries = try await registry.primaries(in: context.teamID)
        let view = NewPage(
            context, Message("console.apple-keys.new"), about: Message("console.apple-keys.new.lead"),
            backTo: LinkView(Message("console.keys.title"), home(of: context.teamID)),
            primaries.isEmpty ? nil : creating(context, form, problems, form.inputs(problems, of: primaries)),
            button: Message("console.apple-keys.import"), standIn: StandInSetup(parts.standIn))
        return context.site.respond(view, status: problems.status)
    }

    func show(_ key: AppleKey, _ context: TeamContext, _ unfinished: Unfinished<AppleKeyForm>) async throws -> Response
    {
        let view = AppleKeyPage(
            frame: context.frame(key.name), team: context.teamID, appleKey: key,
            connectURL: context.may(right) ? try await connectURL(key, context.teamID) : nil,
            editing: editing(key, context, unfinished) { ($0.inputs($1), []) },
            danger: danger(
                key, context, unfinished, summary: Message("console.apple-keys.danger.summary"),
                consequences: [Message("console.apple-keys.danger.second")],
                button: Message("console.apple-keys.danger.button")))
        return context.site.respond(view, status: unfinished.status)
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

    func create(_ form: AppleKeyForm, _ context: TeamContext, _ change: borrowing Change) async throws -> AppleKey {
        try await registry.appleKeys.create(try AppleKey.Import(parsing: form.input), change)
    }

    func update(
        _ key: AppleKey, to form: AppleKeyForm, version: Int, _ context: TeamContext, _ change: borrowing Change
    ) async throws -> Update<AppleKey> {
        try await registry.appleKeys.update(
            to: try AppleKey.Draft(parsing: form.input(over: key)), version: version, change)
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

extension AppleKey: RegisteredThing {
    var key: KeyID { id }
    var identity: String { id.rawValue }
}

/// Page of one Apple key: its properties, settings, removal.
struct AppleKeyPage: FramedPage {
    static let template = "console/apple-keys/show"
    static let fields = frameFields.with {
        $0.text("name") { $0.appleKey.name }
        $0.group("keyID", CopyView.fields) { CopyView(Message("console.apple-keys.id"), $0.appleKey.id.rawValue) }
        $0.group("appID", appIDFields) { $0 }
        $0.group("teamID", CopyView.fields) {
            CopyView(Message("console.apple-keys.team"), $0.appleKey.appleTeamID.rawValue)
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

/// Form of an imported Apple key.
struct AppleKeyForm: ResourceForm {
    let id: String
    let appleTeamID: String
    let name: String
    let appID: String
    /// The private key in PEM; must not appear in a response or a log.
    let privateKey: String

    /// An empty form.
    ///
    /// - Parameter appID: the preselected App ID.
    init(of appID: String = "") {
        (id, appleTeamID, name, privateKey) = ("", "", "", "")
        self.appID = appID
    }

    init(_ form: Form) {
        id = form["id"] ?? ""
        appleTeamID = form["appleTeamID"] ?? ""
        name = form["name"] ?? ""
        appID = form["appID"] ?? ""
        privateKey = form["privateKey"] ?? ""
    }

    init(_ key: AppleKey) {
        id = key.id.rawValue
        appleTeamID = key.appleTeamID.rawValue
        name = key.name
        appID = key.appID.rawValue
        privateKey = ""
    }

    /// The unparsed values for a new key; ids are converted to upper case, as Apple writes them.
    var input: AppleKey.Input {
        AppleKey.Input(
            id: id.trimmed.uppercased(), appleTeamID: appleTeamID.trimmed.uppercased(), name: name, appID: appID,
            privateKey: privateKey.trimmed)
    }

    /// The unparsed values for a change of `current`.
    func input(over current: AppleKey) -> AppleKey.Input {
        AppleKey.Input(id: current.id.rawValue, appleTeamID: appleTeamID.trimmed.uppercased(), name: name)
    }

    var fields: [FormCoding.Field] { [FormCoding.Field("name", name), FormCoding.Field("appleTeamID", appleTeamID)] }

    func compared(with current: AppleKey) -> [ConflictPage.Row] {
        [
            .init(label: Message("console.apple-keys.name"), theirs: current.name, yours: name),
            .init(label: Message("console.apple-keys.team"), theirs: current.appleTeamID.rawValue, yours: appleTeamID),
        ]
    }
}

// Inputs.
extension AppleKeyForm {
    /// The inputs of a new key of one of `primaries`; the private key is always empty, because it must not be sent back.
    func inputs(_ problems: FieldErrors, of primaries: [AppID]) -> [Input] {
        var errors = problems
        // Each time the form is shown again, the key has to be chosen again.
        if !problems.isEmpty, problems["privateKey"] == nil {
            errors.add("privateKey", Message("console.apple-keys.private-key.again"))
        }
        return [
            Input(
                "privateKey", Message("console.apple-keys.private-key"), as: .privateKey(lines: 6),
                hint: Message("console.apple-keys.private-key.hint"), errors: errors, isCode: true),
            Input(
                "id", Message("console.apple-keys.id"), id, placeholder: "ABC123DEFG",
                hint: Message("console.apple-keys.id.hint"), errors: problems, isCode: true), teamInput(problems),
            nameInput(problems),
            .appIDs(
                primaries, chosen: appID, label: Message("console.apple-keys.app-id"),
                hint: Message("console.apple-keys.app-id.hint"), errors: problems),
        ]
    }

    /// The inputs that can change.
    func inputs(_ problems: FieldErrors) -> [Input] { [nameInput(problems), teamInput(problems)] }

    private func nameInput(_ problems: FieldErrors) -> Input {
        Input(
            "name", Message("console.apple-keys.name"), name, hint: Message("console.apple-keys.name.hint"),
            errors: problems)
    }

    private func teamInput(_ problems: FieldErrors) -> Input {
        Input(
            "appleTeamID", Message("console.apple-keys.team"), appleTeamID, placeholder: "DEF456GHIJ",
            hint: Message("console.apple-keys.team.hint"), errors: problems, isCode: true)
    }
}
