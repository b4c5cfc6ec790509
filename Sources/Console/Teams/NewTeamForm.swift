import Bytes
import Domain
import HTTP
import Registry
import Tenancy
import Web

/// What is asked about a new team, as it was typed and as it was understood.
struct NewTeamForm: Sendable {
    private let nameField: String
    private(set) var name = ""
    private(set) var teamID = ""
    private(set) var mode: TeamMode
    var errors = FieldErrors()

    /// What a team can be made of.
    struct Accepted: Sendable {
        let settings: TeamSettings
        /// Nil: to be drawn at random.
        let id: TeamID?
    }

    /// - Parameters:
    ///   - nameField: what the form calls the field of the team's name.
    ///   - host: what people reach Pippin under; on a developer's own machine a team is for trials.
    init(nameField: String, host: String) {
        self.nameField = nameField
        mode = Loopback.contains(host) ? .sandbox : .production
    }

    /// Reads what was typed; nil when something is wrong, which `errors` then tells.
    mutating func read(_ form: Form) -> Accepted? {
        (name, teamID) = (form[nameField] ?? "", form["team_id"] ?? "")
        mode = form["mode"].flatMap(TeamMode.init) ?? .production
        let name = errors.require(
            TeamName(rawValue: name),
            nameField,
            self.name.isEmpty
                ? Phrase("console.teams.name.missing")
                : Phrase("console.teams.name.too-long", count: TeamName.maximumLength)
        )
        let id = readID()
        guard let name, errors.isEmpty, let settings = TeamSettings(name: name, mode: mode) else {
            return nil
        }
        return Accepted(settings: settings, id: id)
    }

    /// Notes that the id belongs to a team, or did.
    mutating func refuseID() {
        errors.add("team_id", Phrase("console.teams.id.taken"))
    }

    var nameView: FieldView {
        FieldView(
            nameField,
            label: Phrase("console.teams.name"),
            value: name,
            autocomplete: "off",
            placeholder: "Acme",
            error: errors[nameField]
        )
    }

    var teamIDView: FieldView {
        FieldView(
            "team_id",
            label: Phrase("console.teams.id"),
            value: teamID,
            autocomplete: "off",
            placeholder: "ACMETEAM01",
            hint: Phrase("console.teams.id.hint"),
            error: errors["team_id"],
            isRequired: false,
            isCode: true
        )
    }

    var modeView: ChoicesView {
        ChoicesView(
            "mode",
            label: Phrase("console.teams.mode"),
            options: [
                .init(
                    TeamMode.production.rawValue,
                    Phrase("console.teams.mode.production"),
                    hint: Phrase("console.teams.mode.production.hint"),
                    isChecked: mode == .production
                ),
                .init(
                    TeamMode.sandbox.rawValue,
                    Phrase("console.teams.sandbox"),
                    hint: Phrase("console.teams.mode.sandbox.hint"),
                    isChecked: mode == .sandbox
                ),
            ]
        )
    }

    private mutating func readID() -> TeamID? {
        let typed = teamID.withoutWhiteSpace
        guard !typed.isEmpty else { return nil }
        let message = Phrase("console.teams.id.wrong")
        guard let id = errors.require(TeamID(rawValue: typed), "team_id", message) else { return nil }
        if id == .system { refuseID() }
        return id
    }
}
