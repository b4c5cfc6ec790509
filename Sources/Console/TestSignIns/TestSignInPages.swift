import Core
import Crypto
import Directory
import HTTP
import OAuth
import Platform
import Registry
import SignIn
import Templates

/// Pages of *Try it*: a real sign-in as a Service ID, shown step by step.
struct TestSignInPages: ConsolePages {
    let parts: Console.Parts

    private var run: TestSignInRun {
        TestSignInRun(server: server, database: database, testSignIns: parts.testSignIns, traces: parts.traces)
    }

    static var views: [any View.Type] { [NewTestSignInPage.self, TestSignInPage.self] }

    func mount(on router: inout ConsoleRouter) {
        router.get(TestSignInRoutes.new, needs: .changeRegistry, at: .serviceIDs) { context, id in
            try await ask(context, try await find(id, context), TestSignInForm(), FieldErrors())
        }
        router.post(TestSignInRoutes.testSignIns, needs: .changeRegistry, at: .serviceIDs) { context, form, id in
            try await begin(context, try await find(id, context), TestSignInForm(form))
        }
        router.get(TestSignInRoutes.testSignIn, needs: .changeRegistry, at: .serviceIDs) { context, id in
            try await respond(context, try await recall(id, context))
        }
        router.get(TestSignInRoutes.callback, .storing, needs: .changeRegistry, at: .serviceIDs) { context, id in
            let fields = try context.request.parameters().fields
            return try await complete(context, try await recall(id, context), fields, by: .query)
        }
        router.postAnswer(TestSignInRoutes.callback, needs: .changeRegistry, at: .serviceIDs) { context, form, id in
            try await complete(context, try await recall(id, context), form.fields, by: .formPost)
        }
    }

    private func ask(_ context: TeamContext, _ service: ServiceID, _ form: TestSignInForm, _ problems: FieldErrors)
        async throws -> Response
    {
        let settings = context.team.settings
        let isEmpty = try await TeamProgressStore(database).find(context.teamID).users == 0
        let view = NewTestSignInPage(
            frame: context.frame(Message("console.test-sign-ins.new")),
            service: TestSignInServiceView(team: context.teamID, service: service),
            action: TestSignInRoutes.testSignIns.link(context.teamID, service.identifier), form: form,
            problems: problems, lacksUsers: isEmpty && settings.identitySources == [.directory],
            registration: settings.registration)
        return context.site.respond(view, status: problems.status)
    }

    /// Starts a test sign-in and redirects to the authorization endpoint, unless the request would be refused there.
    private func begin(_ context: TeamContext, _ service: ServiceID, _ form: TestSignInForm) async throws -> Response {
        let choice: TestSignInRun.Choice
        do throws(FieldErrors) { choice = try form.choice() } catch {
            return try await ask(context, service, form, error)
        }
        let team = try await snapshot(context)
        let member = member(context)
        let testSignIn = try await run.begin(as: service.identifier, choice, by: member, in: team.id)
        if let refused = try await run.refusal(of: testSignIn, in: team) {
            try await run.keep(refused, of: testSignIn, by: member, in: team.id)
            return .redirect(to: TestSignInRoutes.testSignIn.link(team.id, testSignIn.id))
        }
        return .redirect(to: run.request(of: testSignIn, in: team.id).url)
    }

    /// Processes the authorization response; ignores a second one, and one after the test sign-in has expired.
    private func complete(
        _ context: TeamContext, _ testSignIn: TestSignIn, _ fields: [FormCoding.Field],
        by mode: AuthorizationRequest.ResponseMode
    ) async throws -> Response {
        let page = TestSignInRoutes.testSignIn.link(context.teamID, testSignIn.id)
        guard testSignIn.expiresAt > server.clock(), try await record(of: testSignIn, context) == nil else {
            return .redirect(to: page)
        }
        let record = try await run.complete(
            testSignIn, as: try await find(testSignIn.serviceID, context), fields, by: mode,
            in: try await snapshot(context), from: context.origin)
        try await run.keep(record, of: testSignIn, by: member(context), in: context.teamID)
        return .redirect(to: page)
    }

    private func respond(_ context: TeamContext, _ testSignIn: TestSignIn) async throws -> Response {
        let service = try await find(testSignIn.serviceID, context)
        let record = try await record(of: testSignIn, context)
        let waiting = TestSignInNarrative(
            waiting: run.request(of: testSignIn, in: context.teamID), until: testSignIn.expiresAt, at: server.clock())
        let view = TestSignInPage(
            frame: context.frame(Message("console.test-sign-ins.title")),
            service: TestSignInServiceView(team: context.teamID, service: service), started: testSignIn.createdAt,
            againURL: TestSignInRoutes.new.link(context.teamID, service.identifier),
            narrative: record.map(TestSignInNarrative.init) ?? waiting)
        return context.site.respond(view)
    }
}

// Lookups for the pages of test sign-ins.
extension TestSignInPages {
    private func find(_ id: ClientID, _ context: TeamContext) async throws -> ServiceID {
        try await registry.serviceIDs.find(id, in: context.teamID).orNotFound()
    }

    /// The test sign-in, if the current session started it.
    ///
    /// - Throws: `UserFacingError.notFound` for any other session.
    private func recall(_ id: TestSignInID, _ context: TeamContext) async throws -> TestSignIn {
        guard let testSignIn = try await parts.testSignIns.recall(id, in: context.teamID),
            ConstantTime.equal(testSignIn.sessionHash, member(context).sessionHash)
        else { throw UserFacingError.notFound }
        return testSignIn
    }

    private func record(of testSignIn: TestSignIn, _ context: TeamContext) async throws -> TestSignInRecord? {
        guard let text = try await parts.testSignIns.steps(of: testSignIn.id, in: context.teamID) else { return nil }
        return try TestSignInRecord(stored: text)
    }

    private func snapshot(_ context: TeamContext) async throws -> TeamSnapshot {
        try await parts.teams.snapshot(of: context.teamID).orNotFound()
    }

    private func member(_ context: TeamContext) -> TestSignInRun.Member {
        TestSignInRun.Member(
            sessionHash: SHA256.hash(context.account.sessionToken.text), actor: context.actor, origin: context.origin)
    }
}

/// Routes of test sign-ins.
///
/// The engine recognizes a test sign-in by the form of its callback URL.
enum TestSignInRoutes {
    static let new = Route("/console/:team/service-ids/:service/test-sign-ins/new", TeamID.self, ClientID.self)
    static let testSignIns = Route("/console/:team/service-ids/:service/test-sign-ins", TeamID.self, ClientID.self)
    static let testSignIn = Route("/console/:team/test-sign-ins/:testsignin", TeamID.self, TestSignInID.self)
    static let callback = Route("/console/:team/test-sign-ins/:testsignin/callback", TeamID.self, TestSignInID.self)
}

/// Form that starts a test sign-in.
struct NewTestSignInPage: FramedPage {
    static let template = "console/test-sign-ins/new"
    static let fields = frameFields.with {
        $0.group("serviceID", TestSignInServiceView.fields) { $0.service }
        $0.text("action") { $0.action }
        $0.errors { $0.problems.links }
        $0.group("nameScope", Input.fields) { $0.form.nameBox }
        $0.group("emailScope", Input.fields) { $0.form.emailBox }
        $0.group("responseMode", Input.fields) { $0.form.responseModeChoices($0.problems) }
        $0.flag("lacksUsers") { $0.lacksUsers }
        $0.flag("isOpen") { $0.registration == .open }
        $0.text("invitationsURL") { UserInvitationRoutes.list.link($0.service.team) }
    }

    let frame: ConsoleFrame
    let service: TestSignInServiceView
    let action: String
    let form: TestSignInForm
    let problems: FieldErrors
    /// Whether people sign in with accounts of this team alone, and there are none.
    let lacksUsers: Bool
    let registration: Registration
}

/// Service ID of a test sign-in.
struct TestSignInServiceView: Sendable {
    let team: TeamID
    let service: ServiceID

    static let fields = Fields<TestSignInServiceView> {
        $0.text("url") { ConsoleRoutes.serviceID.link($0.team, $0.service.identifier) }
        $0.text("description") { $0.service.description }
        $0.text("identifier") { $0.service.identifier.rawValue }
    }
}

/// Page that shows a test sign-in step by step.
struct TestSignInPage: FramedPage {
    static let template = "console/test-sign-ins/show"
    static let fields = frameFields.with {
        $0.group("serviceID", TestSignInServiceView.fields) { $0.service }
        $0.group("outcome", BadgeView.fields) { $0.narrative.badge }
        $0.words("summary") { $0.narrative.summary }
        $0.group("started", TimeView.fields) { TimeView($0.started) }
        $0.text("againURL") { $0.againURL }
        $0.list("steps", TestSignInStep.fields) { $0.narrative.steps }
    }

    let frame: ConsoleFrame
    let service: TestSignInServiceView
    let started: Timestamp
    let againURL: String
    let narrative: TestSignInNarrative
}

/// Scopes and response mode that a member chose for a test sign-in.
struct TestSignInForm: Sendable {
    let wantsName: Bool
    let wantsEmail: Bool
    let responseMode: String

    /// The values most apps use.
    init() {
        (wantsName, wantsEmail) = (true, true)
        responseMode = AuthorizationRequest.ResponseMode.formPost.rawValue
    }

    init(_ form: Form) {
        wantsName = form.isChecked("name")
        wantsEmail = form.isChecked("email")
        responseMode = form["responseMode"] ?? ""
    }

    /// - Throws: `FieldErrors` for values that the engine would refuse or the page cannot show.
    func choice() throws(FieldErrors) -> TestSignInRun.Choice {
        let scope = AuthorizationRequest.Scope(name: wantsName, email: wantsEmail)
        func refuse(_ message: Message) -> FieldErrors { FieldErrors("responseMode", message) }
        switch AuthorizationRequest.ResponseMode(rawValue: responseMode) {
        case .formPost: return TestSignInRun.Choice(scope: scope, responseMode: .formPost)
        case .query:
            guard !wantsName, !wantsEmail else { throw refuse(Message("console.test-sign-ins.mode.scope")) }
            return TestSignInRun.Choice(scope: scope, responseMode: .query)
        // The response would not reach the server, so there would be nothing to show.
        case .fragment, .webMessage, nil: throw refuse(Message("console.test-sign-ins.mode.missing"))
        }
    }

    var nameBox: Input { Input("name", Message("console.test-sign-ins.scope.name"), as: .box(isChecked: wantsName)) }

    var emailBox: Input {
        Input("email", Message("console.test-sign-ins.scope.email"), as: .box(isChecked: wantsEmail))
    }

    func responseModeChoices(_ problems: FieldErrors) -> Input {
        Input(
            "responseMode", Message("console.test-sign-ins.mode"),
            as: .choices([
                .init(
                    AuthorizationRequest.ResponseMode.formPost.rawValue,
                    Message("console.test-sign-ins.mode.form-post"),
                    hint: Message("console.test-sign-ins.mode.form-post.hint"),
                    isChosen: responseMode != AuthorizationRequest.ResponseMode.query.rawValue),
                .init(
                    AuthorizationRequest.ResponseMode.query.rawValue, Message("console.test-sign-ins.mode.query"),
                    hint: Message("console.test-sign-ins.mode.query.hint"),
                    isChosen: responseMode == AuthorizationRequest.ResponseMode.query.rawValue),
            ]), errors: problems)
    }
}
