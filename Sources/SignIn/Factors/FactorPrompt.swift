import AuthEngine
import Bytes
import Directory
import Domain
import Web
import WebAuthn

/// Builds the page that asks for a second factor.
struct FactorPrompt: Sendable {
    let factors: SecondFactors
    let subject: Subject
    let team: TeamSnapshot
    /// What the browser's cookie holds.
    let browser: String
    let frame: HostedFrame
    let formToken: String
    let action: String
    /// Where the same question is asked another way.
    let address: String
    let now: Timestamp

    /// - Parameters:
    ///   - kinds: what the person can be asked for; none is possible where only a passkey is left and none works.
    ///   - wanted: what they would rather be asked for.
    func page(
        _ kinds: [FactorKind],
        wanted: FactorKind?,
        lead: Phrase? = nil
    ) async throws -> FactorPage {
        guard let kind = wanted.flatMap({ kinds.contains($0) ? $0 : nil }) ?? kinds.first else {
            return FactorPage(
                frame: frame,
                lead: Phrase("hosted.factors.prove.no-way", ["team": team.name]).asWords,
                formToken: formToken,
                action: action
            )
        }
        var page = FactorPage(
            frame: frame,
            lead: (lead ?? Self.lead(kind, team.name)).asWords,
            formToken: formToken,
            action: action,
            others: kinds.filter { $0 != kind }
                .map { FactorPage.Other(url: link(to: $0), label: Self.other($0).asWords) }
        )
        switch kind {
        case .passkey: page.passkey = try await passkey()
        case .totp: page.code = Self.totp
        case .recoveryCode: page.code = Self.recoveryCode
        }
        return page
    }

    /// Asks for the password once more: for somebody who has nothing else.
    func password(of user: User, lead: Phrase) -> FactorPage {
        FactorPage(
            frame: frame,
            lead: lead.asWords,
            formToken: formToken,
            action: action,
            password: FactorPage.Password(
                email: FieldView(
                    "email",
                    label: Phrase("hosted.factors.prove.email-label"),
                    type: "email",
                    value: user.email?.rawValue ?? "",
                    autocomplete: "username"
                ),
                password: FieldView(
                    "password",
                    label: Phrase("hosted.factors.prove.password-label"),
                    type: "password",
                    autocomplete: "current-password"
                )
            )
        )
    }

    private func link(to kind: FactorKind) -> String {
        "\(address)\(address.contains("?") ? "&" : "?")with=\(kind.rawValue)"
    }

    private func passkey() async throws -> PasskeyFormView? {
        guard let passkeys = factors.passkeys else { return nil }
        let known = try await passkeys.passkeys.list(of: subject, in: team.id)
        let options = RequestOptions(
            party: passkeys.party,
            challenge: passkeys.challenges.make(
                .secondFactor(subject),
                browser: browser,
                in: team.id,
                at: now
            ),
            allowed: known.map(\.credentialID),
            requiresUserVerification: false
        )
        return PasskeyFormView(
            kind: .get,
            action: action,
            formToken: formToken,
            options: options.json,
            label: Phrase("hosted.factors.prove.passkey-button").asWords
        )
    }

    private static var totp: FactorPage.Code {
        FactorPage.Code(
            method: FactorKind.totp.rawValue,
            field: FieldView(
                "code",
                label: Phrase("hosted.factors.prove.totp-label"),
                autocomplete: "one-time-code",
                isCode: true
            )
        )
    }

    private static var recoveryCode: FactorPage.Code {
        FactorPage.Code(
            method: FactorKind.recoveryCode.rawValue,
            field: FieldView(
                "code",
                label: Phrase("hosted.factors.prove.recovery-label"),
                autocomplete: "off",
                isCode: true
            )
        )
    }

    private static func lead(_ kind: FactorKind, _ team: String) -> Phrase {
        switch kind {
        case .passkey: Phrase("hosted.factors.prove.passkey")
        case .totp: Phrase("hosted.factors.prove.totp", ["team": team])
        case .recoveryCode: Phrase("hosted.factors.prove.recovery")
        }
    }

    private static func other(_ kind: FactorKind) -> Phrase {
        switch kind {
        case .passkey: Phrase("hosted.factors.prove.with-passkey")
        case .totp: Phrase("hosted.factors.prove.with-totp")
        case .recoveryCode: Phrase("hosted.factors.prove.with-recovery")
        }
    }
}

extension FactorResult {
    /// What a refused proof says; nil for one that was not refused, and where the sign-in is over.
    func words(_ kind: FactorKind) -> Phrase? {
        switch (self, kind) {
        case (.proved, _), (.attemptOver, _): nil
        case (.locked(let wait), _):
            Phrase("hosted.factors.prove.locked", count: max(1, (Int(wait.components.seconds) + 59) / 60))
        case (.wrong, .totp): Phrase("hosted.factors.prove.wrong-totp")
        case (.wrong, .recoveryCode): Phrase("hosted.factors.prove.wrong-recovery")
        case (.wrong, .passkey): Phrase("hosted.factors.prove.wrong-passkey")
        }
    }

    /// Seconds after which trying again makes sense.
    var retryAfter: Int? {
        if case .locked(let wait) = self { max(1, Int(wait.components.seconds)) } else { nil }
    }
}
