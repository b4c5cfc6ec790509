import Bytes
import Domain
import HTTP
import Registry
import Templates
import Web

/// One App ID with what hangs on it.
struct AppIDPage: ConsolePage {
    static let template = "console/app-ids/show"
    static let fields =
        frameFields
        .text("heading") { $0.appID.description }
        .group("identifier", CopyView.fields) {
            CopyView(Phrase("console.app-ids.copy"), $0.appID.identifier.rawValue)
        }
        .group("signInBadge", BadgeView.fields) { $0.badge }
        .words("grouping") { $0.appID.grouping }
        .optionalGroup("editing", Editing.fields) { $0.editing }
        .list("details", SettingView.fields) { $0.details }
        .list("serviceIDs", ServiceRow.fields) { $0.serviceIDs }
        .words("serviceIDCount") { page in
            Phrase("console.registry.of", ["number": page.serviceIDs.count, "limit": Limit.serviceIDs.count])
        }
        .optionalText("newServiceIDURL") { $0.newServiceIDURL }
        .list("grouped", GroupRow.fields) { $0.grouped }
        .list("keys", KeyRow.fields) { $0.keys }
        .words("keyCount") { page in
            Phrase("console.registry.of", ["number": page.keys.count, "limit": Limit.activeKeys.count])
        }
        .optionalText("newKeyURL") { $0.newKeyURL }
        .optionalGroup("apple", AppleRow.fields) { $0.apple }
        .text("transferURL") { $0.transferURL }
        .optionalGroup("danger", DangerView.fields) { $0.danger }

    /// The form of its settings.
    struct Editing: Sendable {
        let action: String
        let checkURL: String
        let version: Int
        let form: AppIDForm
        let problems: FormProblems
        let primaries: [AppID]

        static let fields = Fields<Editing>()
            .text("action") { $0.action }
            .text("checkURL") { $0.checkURL }
            .text("version") { String($0.version) }
            .list("errors", FormError.fields) { $0.problems.summary() }
            .group("description", FieldView.fields) { $0.form.descriptionField($0.problems) }
            .group("signIn", CheckboxView.fields) { $0.form.signInBox }
            .group("notificationURL", FieldView.fields) { $0.form.notificationURLField($0.problems) }
            .group("primary", SelectView.fields) { $0.form.primarySelect(of: $0.primaries, $0.problems) }
    }

    struct ServiceRow: Sendable {
        let team: TeamID
        let summary: ServiceIDSummary

        static let fields = Fields<ServiceRow>()
            .text("url") { ConsoleRoutes.serviceID.link($0.team, $0.summary.identifier) }
            .text("description") { $0.summary.description }
            .text("identifier") { $0.summary.identifier.rawValue }
            .words("returnURLs") { $0.summary.returnURLCount }
    }

    /// An App ID grouped under it.
    struct GroupRow: Sendable {
        let team: TeamID
        let identifier: ClientID

        static let fields = Fields<GroupRow>()
            .text("url") { ConsoleRoutes.appID.link($0.team, $0.identifier) }
            .text("identifier") { $0.identifier.rawValue }
    }

    struct KeyRow: Sendable {
        let team: TeamID
        let key: Key

        static let fields = Fields<KeyRow>()
            .text("url") { ConsoleRoutes.key.link($0.team, $0.key.id) }
            .text("name") { $0.key.name }
            .text("id") { $0.key.id.rawValue }
            .optionalGroup("lastUsed", TimeView.fields) { $0.key.lastUsedAt.map(TimeView.init) }
    }

    /// Whether its group is connected to Apple, and where that is seen to.
    struct AppleRow: Sendable {
        let team: TeamID
        /// The primary App ID of the group.
        let primary: ClientID
        let servicesID: ClientID?
        let mayConnect: Bool

        static let fields = Fields<AppleRow>()
            .optionalText("servicesID") { $0.servicesID?.rawValue }
            .optionalText("url") { row in
                row.servicesID.map { _ in RegistryRoutes.appleConnections.one.link(row.team, row.primary) }
            }
            .optionalText("connectURL") {
                $0.mayConnect && $0.servicesID == nil
                    ? AppleConnections.newURL(for: $0.primary, in: $0.team) : nil
            }
    }

    let frame: ConsoleFrame
    let appID: AppID
    let editing: Editing?
    let serviceIDs: [ServiceRow]
    let newServiceIDURL: String?
    let grouped: [GroupRow]
    /// Active ones.
    let keys: [KeyRow]
    let newKeyURL: String?
    let apple: AppleRow?
    let danger: DangerView?
    let transferURL: String

    private var badge: BadgeView {
        appID.isEnabled
            ? BadgeView(.good, Phrase("console.registry.sign-in-on"))
            : BadgeView(.warn, Phrase("console.registry.sign-in-off"))
    }

    private var details: [SettingView] {
        [
            SettingView(Phrase("console.registry.description"), appID.description),
            SettingView(Phrase("console.registry.group"), appID.grouping),
            SettingView(
                Phrase("console.registry.sign-in"),
                appID.isEnabled ? Phrase("console.registry.on") : Phrase("console.registry.off")
            ),
            SettingView(
                Phrase("console.notices.address"),
                appID.notificationURL?.text ?? Phrase("console.registry.none") as any Wording
            ),
        ]
    }
}
