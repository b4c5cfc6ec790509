import Bytes
import Domain
import Localization
import Tenancy

// Text of the draft for the conflict page, which shows two versions side by side.
extension SettingsDraft {
    /// Labels and displayed values of the settings in one form.
    func lines(of part: SettingsPart) -> [(label: Message, value: any LocalizedTextConvertible)] {
        switch part {
        case .team:
            [
                (Message("console.settings.name"), name),
                (
                    Message("console.settings.mode"),
                    mode == .sandbox
                        ? Message("console.settings.mode.sandbox") : Message("console.settings.mode.production")
                ),
            ]
        case .sources: [(Message("console.settings.sources"), SourceChoice(identitySources).words)]
        case .signIn:
            [
                (Message("console.settings.second-factor"), secondFactor.words),
                (Message("console.settings.registration"), registration.words),
            ]
        case .rules:
            [
                (Message("console.settings.id-token"), idTokenSeconds),
                (
                    Message("console.settings.strict"),
                    requiresVerifiedDomains ? Message("console.settings.yes") : Message("console.settings.no")
                ), (Message("console.settings.spelling"), accountDeleteEvent.rawValue),
                (Message("console.settings.retention"), auditRetentionDays),
            ]
        case .branding:
            [
                (Message("console.settings.accent"), accent), (Message("console.settings.privacy"), privacyURL),
                (Message("console.settings.terms"), termsURL),
            ]
        }
    }
}
