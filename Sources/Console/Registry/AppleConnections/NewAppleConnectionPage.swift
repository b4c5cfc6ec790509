import Domain
import HTTP
import Registry
import Templates
import Web

/// The form that connects an App ID to Apple, beside what to enter there.
struct NewAppleConnectionPage: ConsolePage {
    static let template = "console/apple/new"
    static let fields =
        frameFields
        .optionalGroup("form", Connecting.fields) { $0.connecting }
        .text("importURL") { page in
            let address = RegistryRoutes.appleKeys.new.link(page.team)
            return page.appID.isEmpty ? address : "\(address)?app=\(page.appID)"
        }
        .group("values", AppleValues.fields) { $0.values }
        .optionalGroup("standIn", StandInSteps.fields) { $0.standIn }

    /// The form, once there is a key to choose.
    struct Connecting: Sendable {
        let action: String
        let checkURL: String
        let form: AppleConnectionForm
        let problems: FormProblems
        let primaries: [AppID]
        let keys: [AppleKey]

        static let fields = Fields<Connecting>()
            .text("action") { $0.action }
            .text("checkURL") { $0.checkURL }
            .list("errors", FormError.fields) { $0.form.summary(of: $0.problems) }
            .group("appID", SelectView.fields) { $0.form.appIDSelect(of: $0.primaries, $0.problems) }
            .group("servicesID", FieldView.fields) { $0.form.servicesIDField($0.problems) }
            .group("keyID", SelectView.fields) { $0.form.keySelect(of: $0.keys, $0.problems) }
    }

    let frame: ConsoleFrame
    let team: TeamID
    /// The App ID that is chosen already, or empty.
    let appID: String
    let connecting: Connecting?
    let values: AppleValues
    /// Where a stand-in is in Apple's place.
    let standIn: StandInSteps?
}
