import Bytes
import Domain
import HTTP
import Localization
import Registry
import Templates
import Web

/// Page of one App ID with its Service IDs, group, keys and connection to Apple.
struct AppIDPage: ConsolePage {
    static let template = "console/app-ids/show"
    static let fields = frameFields.with {
        $0.text("heading") { $0.appID.description }
        $0.group("identifier", CopyView.fields) {
            CopyView(Message("console.app-ids.copy"), $0.appID.identifier.rawValue)
        }
        $0.group("signInBadge", BadgeView.fields) { $0.badge }
        $0.words("grouping") { $0.appID.grouping }
        $0.optionalGroup("editing", Editing.fields) { $0.editing }
        $0.list("details", SettingView.fields) { $0.details }
        $0.list("serviceIDs", ServiceRow.fields) { $0.serviceIDs }
        $0.words("serviceIDCount") { page in
            Message("console.registry.of", ["number": page.serviceIDs.count, "limit": Quota.serviceIDs.count])
        }
        $0.optionalText("newServiceIDURL") { $0.newServiceIDURL }
        $0.list("grouped", GroupRow.fields) { $0.grouped }
        $0.list("keys", KeyRow.fields) { $0.keys }
        $0.words("keyCount") { page in
            Message("console.registry.of", ["number": page.keys.count, "limit": Quota.activeKeys.count])
        }
        $0.optionalText("newKeyURL") { $0.newKeyURL }
        $0.optionalGroup("apple", AppleRow.fields) { $0.apple }
        $0.text("transferURL") { $0.transferURL }
        $0.optionalGroup("danger", DangerView.fields) { $0.danger }
    }

    /// Form to edit the App ID.
    struct Editing: Sendable {
        let action: String
        let checkURL: String
        let version: Int
        /// Issuer URL of the team.
        let base: String
        let form: AppIDForm
        let problems: FormProblems
        let primaries: [AppID]

        static let fields = Fields<Editing> {
            $0.text("action") { $0.action }
            $0.text("checkURL") { $0.checkURL }
            $0.text("version") { String($0.version) }
            $0.list("errors", FormError.fields) { $0.problems.summary() }
            $0.group("description", FieldView.fields) { $0.form.descriptionField($0.problems) }
            $0.group("signIn", CheckboxView.fields) { $0.form.signInBox }
            $0.group("notificationURL", FieldView.fields) { $0.form.notificationURLField($0.problems) }
            $0.group("primary", SelectView.fields) { $0.form.primarySelect(of: $0.primaries, $0.problems) }
            $0.group("issuer", ChoicesView.fields) {
                ServiceID.Issuer.choices($0.form.issuer, own: $0.base, $0.problems)
            }
        }
    }

    struct ServiceRow: Sendable {
        let team: TeamID
        let summary: ServiceIDSummary

        static let fields = Fields<ServiceRow> {
            $0.text("url") { ConsoleRoutes.serviceID.link($0.team, $0.summary.identifier) }
            $0.text("description") { $0.summary.description }
            $0.text("identifier") { $0.summary.identifier.rawValue }
            $0.words("returnURLs") { $0.summary.returnURLCount }
        }
    }

    /// An App ID grouped under this one.
    struct GroupRow: Sendable {
        let team: TeamID
        let identifier: ClientID

        static let fields = Fields<GroupRow> {
            $0.text("url") { ConsoleRoutes.appID.link($0.team, $0.identifier) }
            $0.text("identifier") { $0.identifier.rawValue }
        }
    }

    struct KeyRow: Sendable {
        let team: TeamID
        let key: Key

        static let fields = Fields<KeyRow> {
            $0.text("url") { ConsoleRoutes.key.link($0.team, $0.key.id) }
            $0.text("name") { $0.key.name }
            $0.text("id") { $0.key.id.rawValue }
            $0.optionalGroup("lastUsed", TimeView.fields) { $0.key.lastUsedAt.map(TimeView.init) }
        }
    }

    /// Connection of the App ID's group to Apple, or a link to the form that connects it.
    struct AppleRow: Sendable {
        let team: TeamID
        /// Primary App ID of the group.
        let primary: ClientID
        let servicesID: ClientID?
        let mayConnect: Bool

        static let fields = Fields<AppleRow> {
            $0.optionalText("servicesID") { $0.servicesID?.rawValue }
            $0.optionalText("url") { row in
                row.servicesID.map { _ in RegistryRoutes.appleConnections.one.link(row.team, row.primary) }
            }
            $0.optionalText("connectURL") {
                $0.mayConnect && $0.servicesID == nil
                    ? AppleConnectionResource.newURL(for: $0.primary, in: $0.team) : nil
            }
        }
    }

    let frame: ConsoleFrame
    let appID: AppID
    let editing: Editing?
    let serviceIDs: [ServiceRow]
    let newServiceIDURL: String?
    let grouped: [GroupRow]
    /// Active keys.
    let keys: [KeyRow]
    let newKeyURL: String?
    let apple: AppleRow?
    let danger: DangerView?
    let transferURL: String

    private var badge: BadgeView {
        appID.isEnabled
            ? BadgeView(.good, Message("console.registry.sign-in-on"))
            : BadgeView(.warn, Message("console.registry.sign-in-off"))
    }

    private var details: [SettingView] {
        [
            SettingView(Message("console.registry.description"), appID.description),
            SettingView(Message("console.registry.group"), appID.grouping),
            SettingView(
                Message("console.registry.sign-in"),
                appID.isEnabled ? Message("console.registry.on") : Message("console.registry.off")),
            SettingView(
                Message("console.notifications.address"),
                appID.notificationURL?.text ?? Message("console.registry.none") as any LocalizedTextConvertible),
            SettingView(Message("console.registry.issuer"), ServiceID.Issuer.words(appID.issuer.rawValue)),
        ]
    }
}
