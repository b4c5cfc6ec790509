import Core
import Crypto
import Directory
import OAuth
import Platform

/// Builds the page that requests a second factor.
struct FactorPrompt: Sendable {
    let factors: SecondFactors
    let subject: Subject
    let team: TeamSnapshot
    /// Value of the browser cookie.
    let browser: String
    let form: HostedForm
    /// Address of the page, to which the query parameter `with` is added to request another kind.
    let address: String
    let now: Timestamp

    /// - Parameters:
    ///   - kinds: kinds that can be requested; empty if the user has only passkeys and the server cannot use them.
    ///   - wanted: kind that the user prefers.
    func page(_ kinds: [FactorKind], wanted: FactorKind?, lead: Message? = nil) async throws -> FactorPage {
        guard let kind = wanted.flatMap({ kinds.contains($0) ? $0 : nil }) ?? kinds.first else {
            return FactorPage(form: form, lead: Message("hosted.factors.prove.no-way", ["team": team.name]))
        }
        var page = FactorPage(
            form: form, lead: lead ?? Self.lead(kind, team.name), method: kind.rawValue,
            others: kinds.filter { $0 != kind }.map { FactorPage.Other(url: link(to: $0), label: Self.other($0)) })
        switch kind {
        case .passkey: page.passkey = try await passkey()
        case .totp: page.inputs = [Self.code(Message("hosted.factors.prove.totp-label"), "one-time-code")]
        case .recoveryCode: page.inputs = [Self.code(Message("hosted.factors.prove.recovery-label"), "off")]
        }
        return page
    }

    /// Requests the password again, from a user without a second factor.
    func password(of user: User, lead: Message) -> FactorPage {
        FactorPage(
            form: form, lead: lead, method: "password",
            inputs: [
                Input(
                    "email", Message("hosted.factors.prove.email-label"), user.email?.rawValue ?? "",
                    as: .line("email"), autocomplete: "username"),
                Input(
                    "password", Message("hosted.factors.prove.password-label"), as: .line("password"),
                    autocomplete: "current-password"),
            ])
    }

    private func link(to kind: FactorKind) -> String {
        "\(address)\(address.contains("?") ? "&" : "?")with=\(kind.rawValue)"
    }

    private func passkey() async throws -> PasskeyFormView? {
        guard let passkeys = factors.passkeys else { return nil }
        let known = try await passkeys.passkeys.list(of: subject, in: team.id)
        let options = RequestOptions(
            party: passkeys.party,
            challenge: passkeys.challenges.make(.secondFactor(subject), browser: browser, in: team.id, at: now),
            allowed: known.map(\.credentialID), requiresUserVerification: false)
        return PasskeyFormView(
            kind: .get, action: form.action, formToken: form.token, restart: form.restart, options: options.json,
            label: Message("hosted.factors.prove.passkey-button").localizedText)
    }

    private static func code(_ label: Message, _ autocomplete: String) -> Input {
        Input("code", label, autocomplete: autocomplete, isCode: true)
    }

    private static func lead(_ kind: FactorKind, _ team: String) -> Message {
        switch kind {
        case .passkey: Message("hosted.factors.prove.passkey")
        case .totp: Message("hosted.factors.prove.totp", ["team": team])
        case .recoveryCode: Message("hosted.factors.prove.recovery")
        }
    }

    private static func other(_ kind: FactorKind) -> Message { Message(in: "hosted.factors.prove.with", kind.rawValue) }
}

extension FactorResult {
    /// Message about a rejected proof; nil if it was accepted, and if the interaction has ended.
    func words(_ kind: FactorKind) -> Message? {
        switch (self, kind) {
        case (.proved, _), (.interactionExpired, _): nil
        case (.locked(let refusal), _): refusal.message
        case (.wrong, _): Message(in: "hosted.factors.prove.wrong", kind.rawValue)
        }
    }

    /// Seconds to wait before the next try; nil if the user need not wait.
    var retryAfter: Int? { if case .locked(let refusal) = self { refusal.retryAfter } else { nil } }
}
