import Domain
import HTTP
import Web

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

/// Forms of the settings page, each saved separately.
enum SettingsPart: String, PathValue, CaseIterable, Sendable {
    case team
    case sources
    case signIn = "sign-in"
    case rules
    case branding
}
