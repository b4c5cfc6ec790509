import AuthEngine
import Bytes
import Crypto
import Directory
import Domain
import Web
import WebAuthn

/// Builds the pages that set a factor up.
struct FactorSetup: Sendable {
    let factors: SecondFactors
    let user: User
    let team: TeamSnapshot
    /// What the browser's cookie holds.
    let browser: String
    let frame: HostedFrame
    let formToken: String
    let action: String
    let now: Timestamp

    /// Which factor it shall be.
    ///
    /// - Parameter address: leads to the page of each.
    func choices(at address: String) -> FactorSetupPage {
        var page = page(Phrase("hosted.factors.set-up.title"))
        page.lead = Phrase("hosted.factors.set-up.required", ["team": team.name]).asWords
        if factors.passkeys != nil {
            page.choices.append(
                FactorSetupPage.Choice(
                    url: "\(address)?with=passkey",
                    title: Phrase("hosted.factors.set-up.passkey.title").asWords,
                    about: Phrase("hosted.factors.set-up.passkey.about").asWords
                )
            )
        }
        page.choices.append(
            FactorSetupPage.Choice(
                url: "\(address)?with=totp",
                title: Phrase("hosted.factors.set-up.totp.title").asWords,
                about: Phrase("hosted.factors.set-up.totp.about").asWords
            )
        )
        return page
    }

    /// An authenticator app, with a new secret or the one that was offered.
    func totp(_ offer: TOTPOffer? = nil, error: Phrase? = nil, replaces: Bool = false) -> FactorSetupPage {
        var page = page(Phrase("hosted.factors.set-up.totp.heading"))
        let offer = offer ?? factors.offers.make(for: user.subject, in: team.id, at: now)
        let account = user.email?.rawValue ?? user.name.full
        page.totp = FactorSetupPage.TOTP(
            offer: offer,
            uri: offer.secret.uri(issuer: team.name, account: account),
            error: error?.asWords,
            replaces: replaces
        )
        return page
    }

    /// A passkey; nil where there can be none.
    func passkey(named name: String? = nil, error: Phrase? = nil) async throws -> FactorSetupPage? {
        guard let passkeys = factors.passkeys else { return nil }
        var page = page(Phrase("hosted.factors.set-up.passkey.heading"))
        page.lead = Phrase("hosted.factors.set-up.passkey.about").asWords
        page.error = error?.asWords
        let (subject, known) = (user.subject, try await passkeys.passkeys.list(of: user.subject, in: team.id))
        let options = CreationOptions(
            party: passkeys.party,
            partyName: team.name,
            userHandle: try await passkeys.passkeys.handle(of: subject, in: team.id),
            userName: user.email?.rawValue ?? user.name.full,
            displayName: user.name.isEmpty ? user.email?.rawValue ?? "" : user.name.full,
            challenge: passkeys.challenges.make(
                .registration(subject),
                browser: browser,
                in: team.id,
                at: now
            ),
            excluded: known.map(\.credentialID)
        )
        page.passkey = PasskeyFormView(
            kind: .create,
            action: action,
            formToken: formToken,
            options: options.json,
            label: Phrase("hosted.factors.set-up.passkey.button").asWords,
            name: Self.nameField(name)
        )
        return page
    }

    private func page(_ heading: Phrase) -> FactorSetupPage {
        FactorSetupPage(frame: frame, heading: heading.asWords, formToken: formToken, action: action)
    }

    /// - Parameter name: what was typed before; the standard name of the language where nothing was.
    static func nameField(_ name: String?) -> FieldView {
        FieldView(
            "name",
            label: Phrase("hosted.factors.set-up.passkey.label"),
            value: name ?? "",
            autocomplete: "off",
            placeholder: Phrase("hosted.factors.set-up.passkey.standard"),
            hint: Phrase("hosted.factors.set-up.passkey.hint")
        )
    }
}
