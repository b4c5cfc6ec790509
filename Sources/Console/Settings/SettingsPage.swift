import Core
import HTTP
import Platform
import Registry
import SignIn
import Templates

/// Settings of a team, in forms that are saved separately.
struct SettingsPage: FramedPage {
    static let template = "console/settings"
    static let fields = frameFields.with {
        $0.flag("mayChange") { $0.mayChange }
        $0.errors { $0.form.links($0.errors) }
        $0.list("parts", SettingsPartView.fields) { $0.parts([.team, .branding]) }
        $0.list("more", SettingsPartView.fields) { $0.parts([.sources, .signIn, .rules]) }
        $0.text("logoURL") { SettingsRoutes.logo.link($0.team.id) }
        $0.optionalText("logo") { page in page.logo.map { TeamRoutes.logo.link(page.team.id, $0) } }
        $0.text("logoRemovalURL") { SettingsRoutes.logoRemoval.link($0.team.id) }
        $0.optionalWords("logoError") { $0.errors["logo"] }
        $0.optionalGroup("deletion", DangerView.fields) { $0.deletion }
        $0.optionalGroup("due", DeletionView.fields) { $0.due }
    }

    /// A scheduled deletion, or a closed team whose revocations are pending.
    struct DeletionView: Sendable {
        /// URL that cancels the deletion; nil once the team is closed.
        let action: String?
        /// Time of the scheduled deletion; for a closed team, the time it was closed.
        let due: TimeView
        let waiting: LocalizedText?

        static let fields = Fields<DeletionView> {
            $0.optionalText("action") { $0.action }
            $0.group("due", TimeView.fields) { $0.due }
            $0.optionalWords("waiting") { $0.waiting }
        }
    }

    let frame: ConsoleFrame
    let team: Team
    let mayChange: Bool
    /// Whether the account may set the mode, which only operators may.
    let setsMode: Bool
    let site: Site
    let form: SettingsForm<Team>
    /// Whether to let Apple's keys stand beside Apple's issuer, if that is asked.
    var question: Input?
    /// Digest of the team's logo.
    var logo: String?
    var errors = FieldErrors()
    /// Deletion form for owners; nil if a deletion is scheduled.
    var deletion: DangerView?
    /// Scheduled deletion, shown to owners.
    let due: DeletionView?

    private func parts(_ parts: [SettingsPart]) -> [SettingsPartView] {
        parts.map { part in
            let names = part.names(setsMode: setsMode)
            return SettingsPartView(
                part: part, team: team.id, facts: form.facts(of: part.names), accent: form["accentColour"],
                form: mayChange
                    ? FormView(
                        action: SettingsRoutes.part.link(team.id, part), version: team.version, errors: [],
                        inputs: inputs(of: names)) : nil)
        }
    }

    private func inputs(of names: [String]) -> [Input] {
        form.inputs(errors, site, of: names).flatMap { input in
            var input = input
            if input.name == "accentColour" { input.hint = AccentHint.words(about: input.value).localizedText }
            return [input] + (input.name == "appleKeys" ? [question].compactMap(\.self) : [])
        }
    }
}

/// Settings that are saved together: their form, or their values for members who may not change them.
struct SettingsPartView: Sendable {
    let part: SettingsPart
    let team: TeamID
    let facts: [SettingView]
    /// The accent colour as typed.
    let accent: String
    let form: FormView?

    static let fields = Fields<SettingsPartView> {
        $0.text("id") { $0.part.rawValue }
        $0.words("heading") { Message(in: "console.settings", $0.part.rawValue) }
        $0.words("about") { Message(in: "console.settings", $0.part.rawValue + ".about") }
        $0.optionalText("connectionsURL") { part in
            part.part == .sources ? RegistryRoutes.appleConnections.list.link(part.team) : nil
        }
        $0.list("facts", SettingView.fields) { $0.facts }
        $0.optionalGroup("form", FormView.fields) { $0.form }
        $0.optionalGroup("preview", previewFields) { $0.part == .branding ? $0 : nil }
    }

    private static let previewFields = Fields<SettingsPartView> {
        $0.url("url") { $0.previewURL }
        $0.text("base") { $0.previewBase }
        $0.text("wordsBase") { "\(SettingsRoutes.accent.link($0.team))?colour=" }
    }

    private var previewBase: String { "\(SettingsRoutes.preview.link(team))?accent=" }

    private var previewURL: SafeURL {
        let colour = AccentColour(rawValue: accent.trimmed)?.rawValue ?? ""
        return SafeURL(vetted: previewBase + PercentCoding.encode(colour)) ?? SafeURL(literal: "/")
    }
}

/// Preview of the team's sign-in page with an accent colour that may not be saved yet.
///
/// Uses the template of the real page; its links and forms do nothing.
struct PreviewPage: View {
    static let template = "hosted/sign-in"
    static let fields = Fields<PreviewPage> {
        $0.text("lang") { _ in "en" }
        $0.text("title") { $0.team.settings.name.rawValue }
        $0.group("assets", AssetLinks.fields) { $0.assets }
        $0.group("brand", brandFields) { $0 }
        $0.words("heading") { Message("hosted.sign-in.to-app", ["app": $0.team.settings.name.rawValue]) }
        $0.text("action") { _ in "" }
        $0.text("csrf") { _ in "" }
        $0.optionalText("restart") { _ in nil }
        $0.optionalWords("error") { _ in nil }
        $0.group("email", Input.fields) { _ in Input("email", Message("hosted.sign-in.email"), as: .line("email")) }
        $0.group("password", Input.fields) { _ in
            Input("password", Message("hosted.sign-in.password"), as: .line("password"))
        }
        $0.optionalGroup("passkey", PasskeyFormView.fields) { page in
            page.team.settings.secondFactor == .off ? nil : .sample(at: page.publicURL)
        }
        $0.optionalText("appleURL") { $0.team.settings.identitySources.contains(.apple) ? "#" : nil }
        $0.flag("cancellable") { _ in true }
        $0.flag("linkOffered") { _ in false }
        $0.text("recoveryURL") { _ in "#" }
        $0.optionalText("registrationURL") { $0.team.settings.registration == .open ? "#" : nil }
    }

    private static let brandFields = Fields<PreviewPage> {
        $0.text("name") { $0.team.settings.name.rawValue }
        $0.text("initial") { Initial.of($0.team.settings.name.rawValue) }
        $0.optionalText("logo") { page in page.logo.map { TeamRoutes.logo.link(page.team.id, $0) } }
        $0.optionalText("stylesheet") { $0.accent.map(BrandAssets.link) }
        $0.optionalText("privacyURL") { $0.team.settings.privacyURL?.rawValue }
        $0.optionalText("termsURL") { $0.team.settings.termsURL?.rawValue }
        $0.flag("sandbox") { $0.team.settings.mode == .sandbox }
    }

    let assets: AssetLinks
    let publicURL: String
    let team: Team
    let accent: AccentColour?
    /// Digest of the team's logo.
    let logo: String?
}

/// Routes of a team's settings.
enum SettingsRoutes {
    static let settings = Route("/console/:team/settings", TeamID.self)
    static let part = Route("/console/:team/settings/:part", TeamID.self, SettingsPart.self)
    static let preview = Route("/console/:team/settings/preview", TeamID.self)
    /// Hint about an accent colour, for the page's script.
    static let accent = Route("/console/:team/settings/accent", TeamID.self)
    static let logo = Route("/console/:team/settings/logo", TeamID.self)
    static let logoRemoval = Route("/console/:team/settings/logo/removal", TeamID.self)
    static let deletion = Route("/console/:team/settings/deletion", TeamID.self)
    static let deletionCancellation = Route("/console/:team/settings/deletion/cancellation", TeamID.self)
}
