import Bytes
import Domain
import HTTP
import Localization
import Registry
import Tenancy
import Web

/// Form of a new team: name, id and mode as entered, with errors.
struct NewTeamForm: Sendable {
    private let nameField: String
    private(set) var name = ""
    private(set) var teamID = ""
    private(set) var mode: TeamMode
    var errors = FieldErrors()

    /// Valid input of the form.
    struct Accepted: Sendable {
        let settings: TeamSettings
        /// Nil for a random id.
        let id: TeamID?
    }

    /// - Parameters:
    ///   - nameField: name of the form field with the team's name.
    ///   - host: host name of Pippin's public URL; on a loopback host, sandbox mode is preselected.
    init(nameField: String, host: String) {
        self.nameField = nameField
        mode = Loopback.contains(host) ? .sandbox : .production
    }

    /// Reads the form; nil if a field is invalid, with its error in `errors`.
    mutating func read(_ form: Form) -> Accepted? {
        (name, teamID) = (form[nameField] ?? "", form["team_id"] ?? "")
        mode = form["mode"].flatMap(TeamMode.init) ?? .production
        let name = errors.require(
            TeamName(rawValue: name), nameField,
            self.name.isEmpty
                ? Message("console.teams.name.missing")
                : Message("console.teams.name.too-long", count: TeamName.maximumLength))
        let id = readID()
        guard let name, errors.isEmpty, let settings = TeamSettings(name: name, mode: mode) else { return nil }
        return Accepted(settings: settings, id: id)
    }

    /// Adds the error that the id is or was used by a team.
    mutating func refuseID() { errors.add("team_id", Message("console.teams.id.taken")) }

    var nameView: FieldView {
        FieldView(
            nameField, label: Message("console.teams.name"), value: name, autocomplete: "off", placeholder: "Acme",
            error: errors[nameField])
    }

    var teamIDView: FieldView {
        FieldView(
            "team_id", label: Message("console.teams.id"), value: teamID, autocomplete: "off",
            placeholder: "ACMETEAM01", hint: Message("console.teams.id.hint"), error: errors["team_id"],
            isRequired: false, isCode: true)
    }

    var modeView: ChoicesView {
        ChoicesView(
            "mode", label: Message("console.teams.mode"),
            options: [
                .init(
                    TeamMode.production.rawValue, Message("console.teams.mode.production"),
                    hint: Message("console.teams.mode.production.hint"), isChecked: mode == .production),
                .init(
                    TeamMode.sandbox.rawValue, Message("console.teams.sandbox"),
                    hint: Message("console.teams.mode.sandbox.hint"), isChecked: mode == .sandbox),
            ])
    }

    private mutating func readID() -> TeamID? {
        let typed = teamID.withoutWhiteSpace
        guard !typed.isEmpty else { return nil }
        let message = Message("console.teams.id.wrong")
        guard let id = errors.require(TeamID(rawValue: typed), "team_id", message) else { return nil }
        if id == .system { refuseID() }
        return id
    }
}
