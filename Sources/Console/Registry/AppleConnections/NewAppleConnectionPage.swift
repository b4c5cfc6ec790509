import Domain
import HTTP
import Registry
import Templates
import Web

/// Page with the form that connects an App ID to Apple, and the values to enter at Apple.
struct NewAppleConnectionPage: ConsolePage {
    static let template = "console/apple/new"
    static let fields = frameFields.with {
        $0.optionalGroup("form", Connecting.fields) { $0.connecting }
        $0.text("importURL") { page in
            let address = RegistryRoutes.appleKeys.new.link(page.team)
            return page.appID.isEmpty ? address : "\(address)?app=\(page.appID)"
        }
        $0.group("values", AppleValues.fields) { $0.values }
        $0.optionalGroup("standIn", StandInSetup.fields) { $0.standIn }
    }

    /// The form, which is available once the team has imported an Apple key.
    struct Connecting: Sendable {
        let action: String
        let checkURL: String
        let form: AppleConnectionForm
        let problems: FormProblems
        let primaries: [AppID]
        let keys: [AppleKey]

        static let fields = Fields<Connecting> {
            $0.text("action") { $0.action }
            $0.text("checkURL") { $0.checkURL }
            $0.list("errors", FormError.fields) { $0.form.summary(of: $0.problems) }
            $0.group("appID", SelectView.fields) { $0.form.appIDSelect(of: $0.primaries, $0.problems) }
            $0.group("servicesID", FieldView.fields) { $0.form.servicesIDField($0.problems) }
            $0.group("keyID", SelectView.fields) { $0.form.keySelect(of: $0.keys, $0.problems) }
        }
    }

    let frame: ConsoleFrame
    let team: TeamID
    /// The preselected App ID, or empty.
    let appID: String
    let connecting: Connecting?
    let values: AppleValues
    /// Instructions for the Apple simulator, if it replaces Apple.
    let standIn: StandInSetup?
}
