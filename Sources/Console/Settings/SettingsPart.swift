import Core
import HTTP
import Platform
import Registry
import SignIn

/// Forms of the settings page, each saved separately.
enum SettingsPart: String, PathValue, CaseIterable, Sendable {
    case team
    case sources
    case signIn = "sign-in"
    case rules
    case branding

    /// The settings that the account may change, if it may change any: only operators set the mode.
    func names(setsMode: Bool) -> [String] { names.filter { setsMode || $0 != "mode" } }

    /// The settings of the form.
    var names: [String] {
        switch self {
        case .team: ["name", "mode"]
        case .sources: ["identitySources"]
        case .signIn: ["secondFactor", "registration"]
        case .rules:
            ["idTokenSeconds", "requireVerifiedDomains", "accountDeleteEvent", "appleKeys", "auditRetentionDays"]
        case .branding: ["accentColour", "privacyURL", "termsURL"]
        }
    }
}

extension Team: DeclaredObject {
    static let identity: [String] = []
    static let words = SettingWords("console.settings")

    var key: TeamID { id }
    var identity: String { settings.name.rawValue }
}

extension Input {
    /// Choice of a team's mode.
    static func mode(_ mode: TeamMode) -> Input {
        Input("mode", Team.words.label("mode"), as: .choices(in: "console.settings.mode", chosen: mode))
    }
}
