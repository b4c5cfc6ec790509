import Core
import HTTP
import Platform
import Registry
import SignIn

/// A team's settings as entered in the forms: text, so that invalid input is kept.
struct SettingsDraft: Sendable {
    var name: String
    var mode: TeamMode
    /// Empty if the form has no valid choice.
    var identitySources: Set<IdentitySource>
    var secondFactor: SecondFactor
    var registration: Registration
    var idTokenSeconds: String
    var requiresVerifiedDomains: Bool
    var accountDeleteEvent: AccountDeleteEvent
    var appleKeys: AppleKeyPublication
    /// Whether the question about Apple's keys is asked, and answered.
    private var asksAboutAppleKeys = false
    private var acceptsAppleTokens = false
    var auditRetentionDays: String
    var accent: String
    var privacyURL: String
    var termsURL: String

    /// The saved settings of a team.
    init(_ configuration: TeamConfiguration) {
        let (settings, policy, branding) = (configuration.settings, configuration.policy, configuration.branding)
        name = settings.name.rawValue
        mode = settings.mode
        identitySources = Set(settings.identitySources)
        secondFactor = settings.secondFactor
        registration = policy.registration
        idTokenSeconds = String(policy.idTokenSeconds)
        requiresVerifiedDomains = policy.requiresVerifiedDomains
        accountDeleteEvent = policy.accountDeleteEvent
        appleKeys = settings.appleKeys
        auditRetentionDays = String(policy.auditRetentionDays)
        accent = branding.accent?.rawValue ?? ""
        privacyURL = branding.privacyURL?.rawValue ?? ""
        termsURL = branding.termsURL?.rawValue ?? ""
    }

    /// Reads the fields of one form; the other parts stay unchanged.
    ///
    /// - Parameter setsMode: whether the account may change the mode, which only operators may.
    mutating func read(_ form: Form, of part: SettingsPart, setsMode: Bool) {
        switch part {
        case .team:
            name = form["name"] ?? ""
            if setsMode, let typed = form["mode"].flatMap(TeamMode.init) { mode = typed }
        case .sources: identitySources = form["sources"].flatMap(SourceChoice.init)?.sources ?? []
        case .signIn:
            secondFactor = form["second_factor"].flatMap(SecondFactor.init) ?? secondFactor
            registration = form["registration"].flatMap(Registration.init) ?? registration
        case .rules:
            idTokenSeconds = form["id_token_seconds"] ?? ""
            requiresVerifiedDomains = form.isChecked("requires_verified_domains")
            accountDeleteEvent = form["account_delete_event"].flatMap(AccountDeleteEvent.init) ?? accountDeleteEvent
            let chosen = form["apple_keys"].flatMap(AppleKeyPublication.init) ?? appleKeys
            asksAboutAppleKeys = chosen.takesConfirmation(after: appleKeys)
            acceptsAppleTokens = form.isChecked("accepts_apple_tokens")
            appleKeys = chosen
            auditRetentionDays = form["audit_retention_days"] ?? ""
        case .branding:
            accent = form["accent"] ?? ""
            privacyURL = form["privacy_url"] ?? ""
            termsURL = form["terms_url"] ?? ""
        }
    }

    /// The configuration with these settings; nil if a field is invalid, with its error in `errors`.
    func configuration(over base: TeamConfiguration, _ errors: inout FieldErrors) -> TeamConfiguration? {
        var configuration = base
        let name = errors.require(
            TeamName(rawValue: name), "name", Message("console.settings.name.wrong", ["most": TeamName.maximumLength]))
        if let name { configuration.settings.name = name }
        let settings = errors.require(
            configuration.settings.drawing(on: identitySources), "sources", Message("console.settings.sources.none"))
        if let settings { configuration.settings = settings }
        configuration.settings.mode = mode
        configuration.settings.secondFactor = secondFactor
        configuration.settings.appleKeys = appleKeys
        if asksAboutAppleKeys, !acceptsAppleTokens {
            errors.add("apple_keys", Message("console.settings.apple-keys.question"))
        }
        configuration.policy.registration = registration
        configuration.policy.requiresVerifiedDomains = requiresVerifiedDomains
        configuration.policy.accountDeleteEvent = accountDeleteEvent
        readNumbers(into: &configuration.policy, &errors)
        readBranding(into: &configuration.branding, &errors)
        return errors.isEmpty ? configuration : nil
    }

    private func readNumbers(into policy: inout TeamPolicy, _ errors: inout FieldErrors) {
        let seconds = Self.number(idTokenSeconds, TeamPolicy.idTokenSeconds, "id_token_seconds", &errors)
        let days = Self.number(auditRetentionDays, TeamPolicy.auditRetentionDays, "audit_retention_days", &errors)
        if let seconds { policy.idTokenSeconds = seconds }
        if let days { policy.auditRetentionDays = days }
    }

    private static func number(
        _ text: String, _ range: ClosedRange<Int>, _ field: FieldPath, _ errors: inout FieldErrors
    ) -> Int? {
        let number = Int(text.trimmed).flatMap { range.contains($0) ? $0 : nil }
        let wrong = Message("console.settings.number.wrong", ["least": range.lowerBound, "most": range.upperBound])
        return errors.require(number, field, wrong)
    }

    private func readBranding(into branding: inout Branding, _ errors: inout FieldErrors) {
        branding.accent = nil
        if !accent.trimmed.isEmpty {
            let wrong = Message("console.settings.accent.wrong")
            branding.accent = errors.require(AccentColour(rawValue: accent.trimmed), "accent", wrong)
        }
        branding.privacyURL = Self.url(privacyURL, "privacy_url", &errors)
        branding.termsURL = Self.url(termsURL, "terms_url", &errors)
    }

    private static func url(_ text: String, _ field: FieldPath, _ errors: inout FieldErrors) -> LegalURL? {
        guard !text.trimmed.isEmpty else { return nil }
        return errors.require(LegalURL(rawValue: text.trimmed), field, Message("console.settings.url.wrong"))
    }
}

// Text of the draft for the conflict page, which shows two versions side by side.
extension SettingsDraft {
    /// Labels and displayed values of the settings in one form.
    func lines(of part: SettingsPart) -> [(label: Message, value: any LocalizedTextConvertible)] {
        switch part {
        case .team:
            [
                (Message("console.settings.name"), name),
                (Message("console.settings.mode"), Message(in: "console.settings.mode", mode.rawValue)),
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
                (Message("console.settings.apple-keys"), appleKeys.words),
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

// Inputs of the draft.
extension SettingsDraft {
    /// - Parameter setsMode: whether the account may change the mode, which only operators may.
    func inputs(of part: SettingsPart, setsMode: Bool, _ errors: FieldErrors) -> [Input] {
        switch part {
        case .team:
            [
                Input(
                    "name", Message("console.settings.name"), name, hint: Message("console.settings.name.hint"),
                    errors: errors)
            ] + (setsMode ? [.mode(mode, errors)] : [])
        case .sources:
            [
                Input(
                    "sources", Message("console.settings.sources"),
                    as: .choices(
                        in: "console.settings.sources",
                        chosen: SourceChoice.allCases.first { $0.sources == identitySources }),
                    hint: Message("console.settings.sources.help"), errors: errors)
            ]
        case .signIn:
            [
                Input(
                    "second_factor", Message("console.settings.second-factor"),
                    as: .choices(in: "console.settings.second-factor", chosen: secondFactor),
                    hint: Message("console.settings.second-factor.help")),
                Input(
                    "registration", Message("console.settings.registration"),
                    as: .choices(in: "console.settings.registration", chosen: registration)),
            ]
        case .rules: ruleInputs(errors)
        case .branding:
            [
                Input(
                    "accent", Message("console.settings.accent"), accent, placeholder: "#0b57d0",
                    hint: Self.words(aboutAccent: accent), errors: errors, isRequired: false, isCode: true),
                url("privacy_url", Message("console.settings.privacy"), privacyURL, errors),
                url("terms_url", Message("console.settings.terms"), termsURL, errors),
            ]
        }
    }

    private func ruleInputs(_ errors: FieldErrors) -> [Input] {
        [
            Input(
                "id_token_seconds", Message("console.settings.id-token"), idTokenSeconds,
                hint: Message("console.settings.id-token.hint"), errors: errors, isCode: true),
            Input(
                "requires_verified_domains", Message("console.settings.strict"),
                as: .box(isChecked: requiresVerifiedDomains), hint: Message("console.settings.strict.hint")),
            Input(
                "account_delete_event", Message("console.settings.spelling"),
                as: .choices(
                    AccountDeleteEvent.allCases.map {
                        .init($0.rawValue, $0.rawValue, isChosen: $0 == accountDeleteEvent)
                    }), hint: Message("console.settings.spelling.help")),
            Input(
                "apple_keys", Message("console.settings.apple-keys"),
                as: .choices(in: "console.settings.apple-keys", chosen: appleKeys),
                hint: Message("console.settings.apple-keys.help"), errors: errors),
        ] + (asksAboutAppleKeys ? [acceptance] : []) + [
            Input(
                "audit_retention_days", Message("console.settings.retention"), auditRetentionDays,
                hint: Message("console.settings.retention.hint"), errors: errors, isCode: true)
        ]
    }

    /// Answer to the question what Apple's keys mean beside Apple's issuer.
    private var acceptance: Input {
        Input(
            "accepts_apple_tokens", Message("console.settings.apple-keys.accept"),
            as: .box(isChecked: acceptsAppleTokens), hint: Message("console.settings.apple-keys.accept.hint"))
    }

    private func url(_ name: String, _ label: Message, _ value: String, _ errors: FieldErrors) -> Input {
        Input(
            name, label, value, as: .line("url"), placeholder: "https://acme.example/…", errors: errors,
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

extension Input {
    /// Choice of a team's mode.
    static func mode(_ mode: TeamMode, _ errors: FieldErrors = FieldErrors()) -> Input {
        Input(
            "mode", Message("console.settings.mode"), as: .choices(in: "console.settings.mode", chosen: mode),
            errors: errors)
    }
}

extension SecondFactor { var words: Message { Message(in: "console.settings.second-factor", rawValue) } }

extension Registration { var words: Message { Message(in: "console.settings.registration", rawValue) } }

extension AppleKeyPublication { var words: Message { Message(in: "console.settings.apple-keys", rawValue) } }
