import Core
import Crypto
import Directory
import HTTP
import Platform
import Registry
import SignIn
import Templates

/// Setup pages: a one-time link creates the first operator and team.
struct SetupPages: ConsolePages {
    let parts: Console.Parts

    private var accessControl: AccessControl { AccessControl(parts: parts) }
    private var links: SetupLinkStore { SetupLinkStore(parts.system) }
    private var teamCreation: TeamCreation { TeamCreation(parts: parts) }

    func mount(on router: inout ConsoleRouter) {
        router.getForEverybody(ConsoleRoutes.setup) { try await ask($0, $1) }
        router.postForEverybody(ConsoleRoutes.setup) { try await complete($0, $1) }
    }

    private func ask(_ request: Request, _ text: String) async throws -> Response {
        guard let token = LinkToken(text: text), try await links.isUsable(token, at: server.clock()) else {
            return invalid
        }
        let browser = accessControl.browser(of: request)
        var response = site.respond(view(text, browser.secret))
        if browser.isNew { response.set(site.browserCookie(browser.secret)) }
        return response
    }

    /// Creates the operator and team.
    ///
    /// Checks the link first, so that a request without a valid link causes no password check or hash.
    private func complete(_ request: Request, _ text: String) async throws -> Response {
        let browser = accessControl.browser(of: request)
        let fields = try accessControl.form(of: request, from: browser.secret)
        guard let token = LinkToken(text: text), try await links.isUsable(token, at: server.clock()) else {
            return invalid
        }
        var form = SetupForm(host: server.publicHost)
        let choice = PasswordChoice.ofConsole(request, at: server.clock(), with: parts.newPasswords)
        guard let accepted = try await form.read(fields, choice) else { return refuse(form, text, browser.secret) }
        do {
            guard let outcome = try await run(token, accepted, request) else { return invalid }
            return try await enter(outcome.account, outcome.team, request)
        } catch TeamStore.Failure.idTaken where accepted.team.id != nil {
            form.refuseTeamID()
            return refuse(form, text, browser.secret)
        } catch is PasswordHasher.Busy { throw UserFacingError.unavailable }
    }

    /// Creates both with the link; nil if another request used the link first.
    private func run(_ token: LinkToken, _ form: SetupForm.Accepted, _ request: Request) async throws -> (
        account: Subject, team: TeamID
    )? {
        let key = try await teamCreation.makeKey()
        let person = NewUser(
            name: form.name, email: form.email,
            password: try await parts.hasher.hash(form.password, for: .system, from: request.auditOrigin))
        let outcome = try await FirstRun(database, parts.system, log: parts.log).complete(
            token, team: form.team.settings, as: form.team.id, from: request.auditOrigin, at: server.clock(),
            makeOperator: { change in try await users.create(person, change) },
            setUp: { change in try await teamCreation.install(key, change) })
        guard case .completed(let account, let team) = outcome else { return nil }
        return (account, team)
    }

    /// Signs the new operator in and redirects to the team.
    private func enter(_ account: Subject, _ team: TeamID, _ request: Request) async throws -> Response {
        let token = try await parts.sessions.begin(
            for: account, in: .system, from: request.auditOrigin, at: server.clock())
        try await parts.welcome(account)
        var response = Response.redirect(to: ConsoleRoutes.overview.link(team))
        response.set(SessionCookie.make(token, site.cookies))
        return response
    }

    private func view(_ token: String, _ browser: String) -> SetupPage {
        SetupPage(
            frame: SetupFrame(title: Message("console.setup.submit").localizedText, assets: site.assets),
            action: ConsoleRoutes.setup.link(token), formToken: site.formTokens.token(for: browser),
            form: SetupForm(host: server.publicHost))
    }

    private func refuse(_ form: SetupForm, _ token: String, _ browser: String) -> Response {
        var view = view(token, browser)
        view.form = form
        return site.respond(view, status: .unprocessableContent)
    }

    private var invalid: Response { site.respond(SetupLinkPage.invalid(site.assets), status: .gone) }

    static var views: [any View.Type] { [SetupPage.self, SetupLinkPage.self] }
}

/// Setup form: the first operator and team as entered, with errors.
struct SetupForm: Sendable {
    private(set) var givenName = ""
    private(set) var familyName = ""
    private(set) var email = ""
    private(set) var team: NewTeamForm
    private(set) var ownErrors = FieldErrors()

    /// Valid input of the form.
    struct Accepted: Sendable {
        let name: PersonName
        let email: EmailAddress
        let password: NewPassword
        let team: NewTeamForm.Accepted
    }

    /// - Parameter host: host name of Pippin's public URL.
    init(host: String) { team = NewTeamForm(nameField: "team_name", host: host) }

    /// Reads the form; nil if a field is invalid, with its error in `errors`.
    mutating func read(_ form: Form, _ choice: PasswordChoice) async throws -> Accepted? {
        (givenName, familyName) = (form["given_name"] ?? "", form["family_name"] ?? "")
        email = form["email"] ?? ""
        let name = ownErrors.readName(given: givenName, family: familyName)
        let address = ownErrors.require(
            EmailAddress(typed: email.typedCode.withoutWhiteSpace), "email", Message("console.setup.email.wrong"))
        let password = try await ownErrors.readPassword(
            form["password"] ?? "", address, name, around: [form["team_name"] ?? ""], choice)
        guard let team = team.read(form), let name, let address, let password else { return nil }
        return Accepted(name: name, email: address, password: password, team: team)
    }

    mutating func refuseTeamID() { team.refuseID() }

    /// Errors of the whole form, in the order of the page.
    var errors: [ErrorLink] { ownErrors.links + team.errors.links }

    var givenNameView: Input { AccountFields.givenName(givenName, ownErrors) }
    var familyNameView: Input { AccountFields.familyName(familyName, ownErrors) }
    var passwordView: Input { AccountFields.password(ownErrors) }

    var emailView: Input {
        Input(
            "email", Message("console.setup.email"), email, as: .line("email"), autocomplete: "username",
            hint: Message("console.setup.email.hint"), errors: ownErrors)
    }
}
