import Bytes
import Domain
import HTTP
import SignIn
import Templates
import Tenancy
import Web

/// What a team sets of itself, in forms that save one by one.
struct SettingsPage: ConsolePage {
    static let template = "console/settings"
    static let fields =
        frameFields
        .flag("mayChange") { $0.mayChange }
        .text("version") { String($0.team.version) }
        .list("errors", FormError.fields) { $0.errors.summary }
        .text("teamURL") { SettingsRoutes.part.link($0.team.id, .team) }
        .group("name", FieldView.fields) { $0.draft.nameView($0.errors) }
        .optionalGroup("mode", ChoicesView.fields) { $0.setsMode ? $0.draft.modeView($0.errors) : nil }
        .text("sourcesURL") { SettingsRoutes.part.link($0.team.id, .sources) }
        .group("sources", ChoicesView.fields) { $0.draft.sourcesView($0.errors) }
        .text("appleURL") { RegistryRoutes.appleConnections.list.link($0.team.id) }
        .text("signInURL") { SettingsRoutes.part.link($0.team.id, .signIn) }
        .group("secondFactor", ChoicesView.fields) { $0.draft.secondFactorView }
        .group("registration", ChoicesView.fields) { $0.draft.registrationView }
        .text("rulesURL") { SettingsRoutes.part.link($0.team.id, .rules) }
        .group("idToken", FieldView.fields) { $0.draft.idTokenView($0.errors) }
        .group("strict", CheckboxView.fields) { $0.draft.strictView }
        .group("spelling", ChoicesView.fields) { $0.draft.spellingView }
        .group("retention", FieldView.fields) { $0.draft.retentionView($0.errors) }
        .text("brandingURL") { SettingsRoutes.part.link($0.team.id, .branding) }
        .group("accent", FieldView.fields) { $0.draft.accentView($0.errors) }
        .group("privacy", FieldView.fields) { $0.draft.privacyView($0.errors) }
        .group("terms", FieldView.fields) { $0.draft.termsView($0.errors) }
        .url("previewURL") { $0.previewURL }
        .text("wordsBase") { "\(SettingsRoutes.accent.link($0.team.id))?colour=" }
        .text("previewBase") { "\(SettingsRoutes.preview.link($0.team.id))?accent=" }
        .text("logoURL") { SettingsRoutes.logo.link($0.team.id) }
        .optionalText("logo") { page in page.logo.map { TeamRoutes.logo.link(page.team.id, $0) } }
        .text("logoRemovalURL") { SettingsRoutes.logoRemoval.link($0.team.id) }
        .optionalWords("logoError") { $0.errors["logo"] }
        .optionalGroup("deletion", DangerView.fields) { $0.deletion }
        .optionalGroup("due", DeletionView.fields) { $0.due }

    /// A deletion that waits for its day or, once that has come, for what the team owes.
    struct DeletionView: Sendable {
        /// Takes it back, as long as that is possible.
        let action: String?
        /// The day or, of a closed team, when it was closed.
        let due: TimeView
        let waiting: Words?

        static let fields = Fields<DeletionView>()
            .optionalText("action") { $0.action }
            .group("due", TimeView.fields) { $0.due }
            .optionalWords("waiting") { $0.waiting }
    }

    let frame: ConsoleFrame
    let team: Team
    let mayChange: Bool
    /// The mode is the operator's to set.
    let setsMode: Bool
    var draft: SettingsDraft
    /// The digest of the team's logo.
    var logo: String?
    var errors = FieldErrors()
    /// For owners, of a team that is not about to be deleted.
    var deletion: DangerView?
    /// For owners, of a team that is.
    let due: DeletionView?

    private var previewURL: SafeURL {
        let accent = AccentColour(rawValue: draft.accent.trimmed)?.rawValue ?? ""
        let address = "\(SettingsRoutes.preview.link(team.id))?accent=\(PercentCoding.encode(accent))"
        return SafeURL(vetted: address) ?? SafeURL(literal: "/")
    }
}
