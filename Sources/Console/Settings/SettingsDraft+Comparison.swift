import Bytes
import Domain
import Tenancy

// The draft beside another's version, for the page that shows both.
extension SettingsDraft {
    /// The settings of one form with their labels, as people read them.
    func lines(of part: SettingsPart) -> [(label: Phrase, value: any Wording)] {
        switch part {
        case .team:
            [
                (Phrase("console.settings.name"), name),
                (
                    Phrase("console.settings.mode"),
                    mode == .sandbox
                        ? Phrase("console.settings.mode.sandbox")
                        : Phrase("console.settings.mode.production")
                ),
            ]
        case .sources: [(Phrase("console.settings.sources"), SourceChoice(identitySources).words)]
        case .signIn:
            [
                (Phrase("console.settings.second-factor"), secondFactor.words),
                (Phrase("console.settings.registration"), registration.words),
            ]
        case .rules:
            [
                (Phrase("console.settings.id-token"), idTokenSeconds),
                (
                    Phrase("console.settings.strict"),
                    requiresVerifiedDomains
                        ? Phrase("console.settings.yes") : Phrase("console.settings.no")
                ),
                (Phrase("console.settings.spelling"), accountDeleteEvent.rawValue),
                (Phrase("console.settings.retention"), auditRetentionDays),
            ]
        case .branding:
            [
                (Phrase("console.settings.accent"), accent),
                (Phrase("console.settings.privacy"), privacyURL),
                (Phrase("console.settings.terms"), termsURL),
            ]
        }
    }
}
