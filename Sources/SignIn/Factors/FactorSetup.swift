import Core
import Crypto
import Directory
import HTTP
import OAuth
import Platform
import Templates

/// Builds the pages that set up a factor.
struct FactorSetup: Sendable {
    let factors: SecondFactors
    let user: User
    let team: TeamSnapshot
    /// Value of the browser cookie.
    let browser: String
    let form: HostedForm
    let now: Timestamp

    /// Page on which the user chooses the kind of factor.
    ///
    /// - Parameter address: address of the page, to which the query parameter `with` is added for each kind.
    func choices(at address: String) -> FactorSetupPage {
        var page = FactorSetupPage(form: form, heading: Message("hosted.factors.set-up.title"))
        page.lead = Message("hosted.factors.set-up.required", ["team": team.name])
        if factors.passkeys != nil {
            page.choices.append(
                FactorSetupPage.Choice(
                    url: "\(address)?with=passkey", title: Message("hosted.factors.set-up.passkey.title"),
                    about: Message("hosted.factors.set-up.passkey.about")))
        }
        page.choices.append(
            FactorSetupPage.Choice(
                url: "\(address)?with=totp", title: Message("hosted.factors.set-up.totp.title"),
                about: Message("hosted.factors.set-up.totp.about")))
        return page
    }

    /// Page that adds an authenticator app, with a new secret or the one offered before.
    func totp(_ offer: TOTPOffer? = nil, error: Message? = nil, replaces: Bool = false) -> FactorSetupPage {
        var page = FactorSetupPage(form: form, heading: Message("hosted.factors.set-up.totp.heading"))
        let offer = offer ?? factors.offers.make(for: user.subject, in: team.id, at: now)
        let account = user.email?.shown ?? user.name.full
        page.totp = FactorSetupPage.TOTP(
            offer: offer, uri: offer.secret.uri(issuer: team.name, account: account), error: error, replaces: replaces)
        return page
    }

    /// Page that adds a passkey; nil if the server cannot use passkeys.
    func passkey(named name: String? = nil, error: Message? = nil) async throws -> FactorSetupPage? {
        guard let passkeys = factors.passkeys else { return nil }
        var page = FactorSetupPage(form: form, heading: Message("hosted.factors.set-up.passkey.heading"))
        page.lead = Message("hosted.factors.set-up.passkey.about")
        page.error = error
        let (subject, known) = (user.subject, try await passkeys.passkeys.list(of: user.subject, in: team.id))
        let options = CreationOptions(
            party: passkeys.party, partyName: team.name,
            userHandle: try await passkeys.passkeys.handle(of: subject, in: team.id),
            userName: user.email?.shown ?? user.name.full,
            displayName: user.name.isEmpty ? user.email?.shown ?? "" : user.name.full,
            challenge: passkeys.challenges.make(.registration(subject), browser: browser, in: team.id, at: now),
            excluded: known.map(\.credentialID))
        page.passkey = PasskeyFormView(
            kind: .create, action: form.action, formToken: form.token, restart: form.restart, options: options.json,
            label: Message("hosted.factors.set-up.passkey.button").localizedText, name: Self.nameField(name))
        return page
    }

    /// - Parameter name: name typed before; nil for an empty field, which selects the default name in the language.
    static func nameField(_ name: String?) -> Input {
        Input(
            "name", Message("hosted.factors.set-up.passkey.label"), name ?? "",
            placeholder: Message("hosted.factors.set-up.passkey.standard"),
            hint: Message("hosted.factors.set-up.passkey.hint"))
    }
}

// Adding a factor on the account pages.
extension AccountFactors {
    func askForTOTP(_ person: SignedInUser) async throws -> Response {
        let replaces = try await steps.factors.totp.find(of: person.subject, in: person.team.id) != nil
        return steps.pages.respond(setup(person, .totp).totp(replaces: replaces))
    }

    func askForPasskey(_ person: SignedInUser) async throws -> Response {
        guard let page = try await setup(person, .passkey).passkey() else { throw UserFacingError.notFound }
        return steps.pages.respond(page)
    }

    /// - Parameter page: kind of factor that the page of the form adds.
    func enrol(_ person: SignedInUser, page: FactorKind) async throws -> Response {
        let form = try steps.form(of: person)
        let enrolment = FactorEnrolment(
            factors: steps.factors, subject: person.subject, team: person.team.id, browser: person.visit.browser,
            origin: person.visit.origin, now: steps.server.clock(), isFirst: false,
            right: .session(steps.factorRight(of: person)), mailer: steps.factorPost(person))
        switch try await enrolment.add(form) {
        case .added(let kind, let codes): return try await added(kind, codes, person)
        case .refused(.totp, let words, let offer):
            return steps.pages.respond(setup(person, page).totp(offer, error: words), status: .unprocessableContent)
        case .refused(_, let words, _):
            let page = try await setup(person, page).passkey(named: form["name"], error: words)
            guard let page else { throw UserFacingError.notFound }
            return steps.pages.respond(page, status: .unprocessableContent)
        // The account page redirects to a sign-in if the session has ended.
        case .expired: return .redirect(to: TeamRoutes.account.link(person.team.id))
        case .notFirst, nil: throw UserFacingError.notFound
        }
    }

    private func setup(_ person: SignedInUser, _ kind: FactorKind) -> FactorSetup {
        let (title, route) =
            kind == .passkey
            ? (Message("hosted.factors.set-up.passkey.title"), TeamRoutes.newPasskey)
            : (Message("hosted.factors.set-up.totp.title"), TeamRoutes.newTOTP)
        return FactorSetup(
            factors: steps.factors, user: person.session.user, team: person.team, browser: person.visit.browser,
            form: steps.form(title, to: route.link(person.team.id), for: person), now: steps.server.clock())
    }
}

/// Page that sets up a second factor: first the choice of a kind, then the factor.
struct FactorSetupPage: FormPage {
    static let template = "hosted/factors/set-up"
    static let fields = formFields.with {
        $0.words("heading") { $0.heading }
        $0.optionalWords("lead") { $0.lead }
        $0.optionalWords("error") { $0.error }
        $0.list("choices", Choice.fields) { $0.choices }
        $0.optionalGroup("totp", TOTP.fields) { $0.totp }
        $0.optionalGroup("passkey", PasskeyFormView.fields) { $0.passkey }
        $0.flag("cancellable") { $0.isCancellable }
    }

    /// Kind of factor to choose.
    struct Choice: Sendable {
        let url: String
        let title: Message
        let about: Message

        static let fields = Fields<Choice> {
            $0.text("url") { $0.url }
            $0.words("title") { $0.title }
            $0.words("about") { $0.about }
        }
    }

    /// Authenticator app to be added.
    struct TOTP: Sendable {
        let offer: TOTPOffer
        /// Content of the QR code.
        let uri: String
        let error: Message?
        let replaces: Bool

        static let fields = Fields<TOTP> {
            $0.group("qr", QRView.fields) { QRView($0.uri) }
            $0.group("key", CopyView.fields) {
                CopyView(Message("hosted.factors.set-up.totp.key"), $0.offer.secret.readable)
            }
            $0.text("sealed") { $0.offer.sealed }
            $0.group("code", Input.fields) { totp in
                Input(
                    "code", Message("hosted.factors.set-up.totp.label"), autocomplete: "one-time-code",
                    errors: totp.error.map { FieldErrors("code", $0) } ?? FieldErrors(), isCode: true)
            }
            $0.flag("replaces") { $0.replaces }
        }
    }

    var form: HostedForm
    let heading: Message
    var lead: Message?
    var error: Message?
    var choices: [Choice] = []
    var totp: TOTP?
    var passkey: PasskeyFormView?
    var isCancellable = false
}

/// QR code on a page.
struct QRView: Sendable {
    let size: Int
    let path: String

    /// Creates an empty code if the text is too long for one, which the texts of the pages never are.
    init(_ text: String) {
        let code = QRCode(text)
        size = code?.outerSize ?? 0
        path = code?.svgPath ?? ""
    }

    static let fields = Fields<QRView> {
        $0.text("size") { String($0.size) }
        $0.text("path") { $0.path }
    }
}
