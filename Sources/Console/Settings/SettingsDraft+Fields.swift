import Bytes
import Domain
import Tenancy
import Web

// The draft as the fields of the forms.
extension SettingsDraft {
    func nameView(_ errors: FieldErrors) -> FieldView {
        FieldView(
            "name",
            label: Phrase("console.settings.name"),
            value: name,
            autocomplete: "off",
            hint: Phrase("console.settings.name.hint"),
            error: errors["name"]
        )
    }

    func modeView(_ errors: FieldErrors) -> ChoicesView {
        ChoicesView(
            "mode",
            label: Phrase("console.settings.mode"),
            error: errors["mode"],
            options: [
                .init(
                    TeamMode.production.rawValue,
                    Phrase("console.settings.mode.production"),
                    hint: Phrase("console.settings.mode.production.hint"),
                    isChecked: mode == .production
                ),
                .init(
                    TeamMode.sandbox.rawValue,
                    Phrase("console.settings.mode.sandbox"),
                    hint: Phrase("console.settings.mode.sandbox.hint"),
                    isChecked: mode == .sandbox
                ),
            ]
        )
    }

    func sourcesView(_ errors: FieldErrors) -> ChoicesView {
        ChoicesView(
            "sources",
            label: Phrase("console.settings.sources"),
            help: Phrase("console.settings.sources.help"),
            error: errors["sources"],
            options: SourceChoice.allCases.map { choice in
                .init(
                    choice.rawValue,
                    choice.words,
                    hint: choice.hint,
                    isChecked: choice.sources == identitySources
                )
            }
        )
    }

    var secondFactorView: ChoicesView {
        ChoicesView(
            "second_factor",
            label: Phrase("console.settings.second-factor"),
            help: Phrase("console.settings.second-factor.help"),
            options: SecondFactor.allCases.map { option in
                .init(
                    option.rawValue,
                    option.words,
                    hint: option.hint,
                    isChecked: option == secondFactor
                )
            }
        )
    }

    var registrationView: ChoicesView {
        ChoicesView(
            "registration",
            label: Phrase("console.settings.registration"),
            options: Registration.allCases.map { option in
                .init(
                    option.rawValue,
                    option.words,
                    hint: option.hint,
                    isChecked: option == registration
                )
            }
        )
    }

    func idTokenView(_ errors: FieldErrors) -> FieldView {
        FieldView(
            "id_token_seconds",
            label: Phrase("console.settings.id-token"),
            value: idTokenSeconds,
            autocomplete: "off",
            hint: Phrase("console.settings.id-token.hint"),
            error: errors["id_token_seconds"],
            isCode: true
        )
    }

    var strictView: CheckboxView {
        CheckboxView(
            "requires_verified_domains",
            label: Phrase("console.settings.strict"),
            hint: Phrase("console.settings.strict.hint"),
            isChecked: requiresVerifiedDomains
        )
    }

    var spellingView: ChoicesView {
        ChoicesView(
            "account_delete_event",
            label: Phrase("console.settings.spelling"),
            help: Phrase("console.settings.spelling.help"),
            options: AccountDeleteEvent.allCases.map { option in
                .init(option.rawValue, option.rawValue, isChecked: option == accountDeleteEvent)
            }
        )
    }

    func retentionView(_ errors: FieldErrors) -> FieldView {
        FieldView(
            "audit_retention_days",
            label: Phrase("console.settings.retention"),
            value: auditRetentionDays,
            autocomplete: "off",
            hint: Phrase("console.settings.retention.hint"),
            error: errors["audit_retention_days"],
            isCode: true
        )
    }

    func accentView(_ errors: FieldErrors) -> FieldView {
        FieldView(
            "accent",
            label: Phrase("console.settings.accent"),
            value: accent,
            autocomplete: "off",
            placeholder: "#0b57d0",
            hint: Self.words(aboutAccent: accent),
            error: errors["accent"],
            isRequired: false,
            isCode: true
        )
    }

    func privacyView(_ errors: FieldErrors) -> FieldView {
        urlView("privacy_url", Phrase("console.settings.privacy"), privacyURL, errors)
    }

    func termsView(_ errors: FieldErrors) -> FieldView {
        urlView("terms_url", Phrase("console.settings.terms"), termsURL, errors)
    }

    private func urlView(
        _ name: String,
        _ label: Phrase,
        _ value: String,
        _ errors: FieldErrors
    ) -> FieldView {
        FieldView(
            name,
            label: label,
            type: "url",
            value: value,
            autocomplete: "off",
            placeholder: "https://acme.example/…",
            error: errors[name],
            isRequired: false
        )
    }

    /// Which colour is shown, and why it is another where text in the chosen one cannot be read.
    static func words(aboutAccent typed: String) -> Phrase {
        guard let colour = AccentColour(rawValue: typed.trimmed) else {
            return Phrase("console.settings.accent.hint")
        }
        let shown = Accent(colour)
        let (light, dark) = (shown.light.accent, shown.dark.accent)
        let (chosen, onLight, onDark) = (colour.rawValue, light.rawValue, dark.rawValue)
        return switch (light == colour, dark == colour) {
        case (true, true): Phrase("console.settings.accent.kept", ["colour": chosen])
        case (false, true): Phrase("console.settings.accent.light", ["colour": chosen, "light": onLight])
        case (true, false): Phrase("console.settings.accent.dark", ["colour": chosen, "dark": onDark])
        case (false, false):
            Phrase("console.settings.accent.both", ["colour": chosen, "light": onLight, "dark": onDark])
        }
    }
}

extension SecondFactor {
    var words: Phrase {
        switch self {
        case .off: Phrase("console.settings.second-factor.off")
        case .optional: Phrase("console.settings.second-factor.optional")
        case .required: Phrase("console.settings.second-factor.required")
        }
    }

    fileprivate var hint: Phrase {
        switch self {
        case .off: Phrase("console.settings.second-factor.off.hint")
        case .optional: Phrase("console.settings.second-factor.optional.hint")
        case .required: Phrase("console.settings.second-factor.required.hint")
        }
    }
}

extension Registration {
    var words: Phrase {
        switch self {
        case .open: Phrase("console.settings.registration.open")
        case .invitation: Phrase("console.settings.registration.invitation")
        case .off: Phrase("console.settings.registration.off")
        }
    }

    fileprivate var hint: Phrase {
        switch self {
        case .open: Phrase("console.settings.registration.open.hint")
        case .invitation: Phrase("console.settings.registration.invitation.hint")
        case .off: Phrase("console.settings.registration.off.hint")
        }
    }
}
