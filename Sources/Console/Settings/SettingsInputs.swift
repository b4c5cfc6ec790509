import Core
import Platform
import Registry
import SignIn

// Inputs of the draft.
extension SettingsDraft {
    /// - Parameter setsMode: whether the account may change the mode, which only operators may.
    func inputs(of part: SettingsPart, setsMode: Bool, _ errors: FieldErrors) -> [InputView] {
        switch part {
        case .team:
            [
                .text(
                    "name", Message("console.settings.name"), name, hint: Message("console.settings.name.hint"),
                    error: errors["name"])
            ] + (setsMode ? [.choices(modeView(errors))] : [])
        case .sources:
            [
                .choices(
                    ChoicesView(
                        "sources", label: Message("console.settings.sources"),
                        help: Message("console.settings.sources.help"), error: errors["sources"],
                        options: SourceChoice.allCases.map {
                            .init($0.rawValue, $0.words, hint: $0.hint, isChecked: $0.sources == identitySources)
                        }))
            ]
        case .signIn:
            [
                .choices(
                    ChoicesView(
                        "second_factor", label: Message("console.settings.second-factor"),
                        help: Message("console.settings.second-factor.help"),
                        options: SecondFactor.allCases.map {
                            .init($0.rawValue, $0.words, hint: $0.hint, isChecked: $0 == secondFactor)
                        })),
                .choices(
                    ChoicesView(
                        "registration", label: Message("console.settings.registration"),
                        options: Registration.allCases.map {
                            .init($0.rawValue, $0.words, hint: $0.hint, isChecked: $0 == registration)
                        })),
            ]
        case .rules: ruleInputs(errors)
        case .branding:
            [
                .text(
                    "accent", Message("console.settings.accent"), accent, placeholder: "#0b57d0",
                    hint: Self.words(aboutAccent: accent), error: errors["accent"], isRequired: false, isCode: true),
                url("privacy_url", Message("console.settings.privacy"), privacyURL, errors),
                url("terms_url", Message("console.settings.terms"), termsURL, errors),
            ]
        }
    }

    private func modeView(_ errors: FieldErrors) -> ChoicesView {
        ChoicesView(
            "mode", label: Message("console.settings.mode"), error: errors["mode"],
            options: [
                .init(
                    TeamMode.production.rawValue, Message("console.settings.mode.production"),
                    hint: Message("console.settings.mode.production.hint"), isChecked: mode == .production),
                .init(
                    TeamMode.sandbox.rawValue, Message("console.settings.mode.sandbox"),
                    hint: Message("console.settings.mode.sandbox.hint"), isChecked: mode == .sandbox),
            ])
    }

    private func ruleInputs(_ errors: FieldErrors) -> [InputView] {
        [
            .text(
                "id_token_seconds", Message("console.settings.id-token"), idTokenSeconds,
                hint: Message("console.settings.id-token.hint"), error: errors["id_token_seconds"], isCode: true),
            .checkbox(
                CheckboxView(
                    "requires_verified_domains", label: Message("console.settings.strict"),
                    hint: Message("console.settings.strict.hint"), isChecked: requiresVerifiedDomains)),
            .choices(
                ChoicesView(
                    "account_delete_event", label: Message("console.settings.spelling"),
                    help: Message("console.settings.spelling.help"),
                    options: AccountDeleteEvent.allCases.map {
                        .init($0.rawValue, $0.rawValue, isChecked: $0 == accountDeleteEvent)
                    })),
            .text(
                "audit_retention_days", Message("console.settings.retention"), auditRetentionDays,
                hint: Message("console.settings.retention.hint"), error: errors["audit_retention_days"], isCode: true),
        ]
    }

    private func url(_ name: String, _ label: Message, _ value: String, _ errors: FieldErrors) -> InputView {
        .text(
            name, label, value, type: "url", placeholder: "https://acme.example/…", error: errors[name],
            isRequired: false)
    }

    /// Hint about an accent colour: whether the pages show it, or another one in which text stays readable.
    static func words(aboutAccent typed: String) -> Message {
        guard let colour = AccentColour(rawValue: typed.trimmed) else { return Message("console.settings.accent.hint") }
        let shown = Accent(colour)
        let (light, dark) = (shown.light.accent, shown.dark.accent)
        let (chosen, onLight, onDark) = (colour.rawValue, light.rawValue, dark.rawValue)
        return switch (light == colour, dark == colour) {
        case (true, true): Message("console.settings.accent.kept", ["colour": chosen])
        case (false, true): Message("console.settings.accent.light", ["colour": chosen, "light": onLight])
        case (true, false): Message("console.settings.accent.dark", ["colour": chosen, "dark": onDark])
        case (false, false):
            Message("console.settings.accent.both", ["colour": chosen, "light": onLight, "dark": onDark])
        }
    }
}

extension SecondFactor {
    var words: Message { Message(in: "console.settings.second-factor", rawValue) }

    fileprivate var hint: Message { Message(in: "console.settings.second-factor", rawValue + ".hint") }
}

extension Registration {
    var words: Message { Message(in: "console.settings.registration", rawValue) }

    fileprivate var hint: Message { Message(in: "console.settings.registration", rawValue + ".hint") }
}

/// Identity sources of a team as one choice, so that at least one source is selected.
enum SourceChoice: String, CaseIterable, Sendable {
    case directory
    case apple
    case both

    init(_ sources: Set<IdentitySource>) {
        self =
            switch (sources.contains(.directory), sources.contains(.apple)) {
            case (true, true): .both
            case (_, true): .apple
            default: .directory
            }
    }

    var sources: Set<IdentitySource> {
        switch self {
        case .directory: [.directory]
        case .apple: [.apple]
        case .both: [.directory, .apple]
        }
    }

    var words: Message { Message(in: "console.settings.sources", rawValue) }

    var hint: Message { Message(in: "console.settings.sources", rawValue + ".hint") }
}
