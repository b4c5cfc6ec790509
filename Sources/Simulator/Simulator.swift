// Simulator: Apple's side of the protocol, for test sign-ins and tests without an account; and the sample app.
//
// Owns: simulated users, scripted faults, Apple's endpoints. Codes, tokens, keys and revocations are the engine's, for
// a team of the simulator's own: it is not a second engine.
// Must not know: that its client is Pippin.
// Standards: Apple's Sign in with Apple REST API.

import Core
import Crypto
import Directory
import Federation
public import HTTP
import OAuth
import Platform
import Registry
public import SignIn
public import Templates

/// The Apple simulator on one loop.
public struct Simulator: Sendable {
    /// Apple team under which all clients of the simulator are registered.
    public static let teamID = "APPLESIM00"
    /// Hash of the one browser that all simulated sign-ins share.
    static let browser: [UInt8] = SHA256.hash("the simulator's browser")

    let team: TeamID
    let server: ServerContext
    let teams: TeamCache
    let authorization: Authorization
    let interactions: Interactions
    let clients: ClientAuthenticator
    let tokens: TokenEndpoint
    let revocation: Revocation
    let consents: ConsentStore
    let authorizationEnds: AuthorizationEndStore
    let consentList: ConsentListStore
    let database: TeamDatabase
    let sessions: SessionStore
    let signIn: SignIn
    let site: Site
    let script: Script

    /// - Parameter script: behavior that all loops share.
    public init(_ services: Services, signIn: SignIn, script: Script) {
        guard let team = TeamID(rawValue: Self.teamID), let relay = RelayDomain("privaterelay.appleid.com") else {
            preconditionFailure("constants of ours")
        }
        let (server, database) = (services.server, services.database)
        self.team = team
        self.server = server
        self.script = script
        teams = services.teams
        self.signIn = signIn
        site = services.site
        authorization = Authorization(testSignIns: services.testSignIns)
        consents = ConsentStore(database, relay: relay)
        interactions = Interactions(server: server, database: database, consents: consents, traces: services.traces)
        authorizationEnds = AuthorizationEndStore(database)
        clients = ClientAuthenticator(server: server, database: database)
        tokens = TokenEndpoint(server: server, database: database, ends: authorizationEnds, traces: services.traces)
        revocation = Revocation(database: database, ends: authorizationEnds)
        consentList = ConsentListStore(database)
        self.database = database
        sessions = services.sessions
    }

    public static var views: [any View.Type] { [PeoplePage.self, DeskPage.self] }

    /// Adds Apple's endpoints, all below `/apple`.
    public func mount(on router: inout Router) {
        router.get(Routes.authorize, .storing) { request in try await authorize(request) }
        router.post(Routes.decision, .form) { request, interaction in try await decide(request, interaction) }
        router.post(Routes.device, .form) { request in try await authorizeOnDevice(request) }
        router.post(Routes.token) { request in try await token(request) }
        router.post(Routes.revoke) { request in try await revoke(request) }
        router.get(Routes.keys) { _ in try await keys() }
        router.get(Routes.discovery) { request in await discovery(request) }
        router.get(Routes.desk) { request in try showDesk(request) }
        router.post(Routes.desk, .form) { request in try setDesk(request) }
        router.post(Routes.notifications, .form) { request in try await sendNotification(request) }
    }

    /// The team as it is registered now.
    func snapshot() async throws -> TeamSnapshot {
        guard let team = try await teams.snapshot(of: team) else { throw UserFacingError.notFound }
        return team
    }
}

/// Apple's endpoints below the prefix `/apple`.
enum Routes {
    static let authorize = Route("/apple/auth/authorize")
    static let decision = Route("/apple/auth/interactions/:interaction", InteractionID.self)
    /// Replaces Apple's framework on a device.
    static let device = Route("/apple/device")
    static let token = Route("/apple/auth/token")
    static let revoke = Route("/apple/auth/revoke")
    static let keys = Route("/apple/auth/keys")
    static let discovery = Route("/apple/.well-known/openid-configuration")
    /// Page that selects faults.
    static let desk = Route("/apple")
    /// Simulates an event of a user.
    static let notifications = Route("/apple/notifications")
}

// Pages that a user sees at Apple.
extension Simulator {
    /// Apple's authorization endpoint: the engine's checks, then a list of users instead of a password.
    func authorize(_ request: Request) async throws -> Response {
        let team = try await snapshot()
        let (fields, judged): ([FormCoding.Field], AuthorizationRequest)
        do {
            fields = try request.query(maximumFields: 64).fields
            judged = try await authorization.judge(try ProtocolParameters(fields), to: team, at: server.clock())
        } catch let refusal as AuthorizationRefusal { return refused(refusal.error, refusal.reason) } catch let error
            as OAuthError
        { return refused(error.code, error.reason) }
        let interaction = interactions.open(
            judged, sent: fields, browserHash: Self.browser, in: self.team, from: request.auditOrigin)
        try await interactions.begin(interaction)
        if let performer = script.nextPerformer() { return try await perform(performer, interaction, request) }
        let page = PeoplePage(
            assets: site.assets, appName: team.client(judged.clientID)?.name ?? "",
            action: Routes.decision.link(interaction.id))
        return site.respond(page)
    }

    func decide(_ request: Request, _ id: InteractionID) async throws -> Response {
        guard let performer = try request.form()["person"].flatMap(Performer.init(rawValue:)),
            let interaction = try await interactions.find(id, browserHash: Self.browser, in: team)
        else { throw UserFacingError.wrongChoice }
        return try await perform(performer, interaction, request)
    }

    /// Performs the user's behavior, and responds to the app.
    private func perform(_ performer: Performer, _ interaction: Interaction, _ request: Request) async throws
        -> Response
    {
        let team = try await snapshot()
        guard var answer = try await answer(performer, interaction, team, request),
            let client = team.client(answer.clientID)
        else { throw UserFacingError.wrongChoice }
        if let fault = script.take(at: .browser) {
            try answer.replace("id_token") { try forgery(fault, team).forge($0) }
        }
        return try signIn.exit(with: answer, appName: client.name, of: team, in: request.language)
    }

    /// The answer to the app after the user's decision; nil if the sign-in has ended.
    func answer(_ performer: Performer, _ interaction: Interaction, _ team: TeamSnapshot, _ request: Request)
        async throws -> AuthorizationResponse?
    {
        let origin = request.auditOrigin
        guard let app = interaction.app else { return nil }
        if performer == .reluctant { return try await interactions.cancel(interaction, from: origin) }
        let subject = performer.subject
        if performer == .newcomer {
            try await authorizationEnds.endConsent(
                of: subject, for: app.primaryAppID, in: self.team, by: .person(subject), from: origin)
        }
        guard let session = try await session(of: performer, from: origin) else { return nil }
        let step = try await interactions.step(for: subject, primaryAppID: app.primaryAppID, in: self.team)
        if case .confirmation(let consent) = step {
            return try await interactions.confirm(interaction, under: consent, of: session, in: team, from: origin)
        }
        let choice = ConsentChoice(
            name: app.scope.name ? performer.name : nil, email: app.scope.email ? performer.choice : .withheld)
        let answer = try await interactions.consent(to: interaction, choice, of: session, in: team, from: origin)
        // Apple sends `user` only once, even if the response does not arrive.
        try await consents.noteDelivery(of: subject, to: app.primaryAppID, in: self.team, at: server.clock())
        return answer
    }

    /// A new session of the user; a numbered user keeps its session until it expires.
    private func session(of performer: Performer, from origin: Origin) async throws -> Session? {
        let now = server.clock()
        if let session = script.session(of: performer), session.expiresAt > now { return session }
        if case .passerby = performer { try await Cast(database).admit(performer, to: team) }
        let token = try await sessions.begin(for: performer.subject, in: team, from: origin, at: now)
        let session = try await sessions.find(token, in: team, at: now)
        if case .passerby = performer { script.remember(session, of: performer) }
        return session
    }

    /// Apple's own error page, without a redirect to the app.
    private func refused(_ error: OAuthError.Code, _ reason: String) -> Response {
        .text("\(error.rawValue)\n\n\(reason)\n", status: .badRequest)
    }
}

extension UserFacingError {
    static let wrongChoice = UserFacingError(
        .badRequest, "This sign-in is over", "The Apple simulator does not know it, or it was decided already.",
        advice: "Go back to the app and sign in again.")
}

// The page that selects the simulator's behavior.
extension Simulator {
    func showDesk(_ request: Request) throws -> Response {
        let done = try request.query()["done"].flatMap(Done.init(rawValue:))
        return site.respond(DeskPage(assets: site.assets, script: script, done: done))
    }

    /// Result of the last form on the desk.
    enum Done: String {
        case saved
        case told
        /// The user uses no app that could be notified.
        case nobody

        var link: String { "\(Routes.desk.link())?done=\(rawValue)" }

        var words: String {
            switch self {
            case .saved: "Saved. It holds until you change it."
            case .told: "Their apps are told."
            case .nobody: "They use no app here, so no notification was sent."
            }
        }
    }

    func setDesk(_ request: Request) throws -> Response {
        let form = try request.form()
        guard let turn = Script.Turn.named(form["person"] ?? "") else { throw UserFacingError.wrongChoice }
        script.turn = turn
        for place in Place.allCases {
            script.set(form[place.rawValue].flatMap(Fault.init(rawValue:)), at: place, times: .max)
        }
        return .redirect(to: Done.saved.link)
    }
}

extension Script.Turn {
    /// Size of the population.
    private static let populationSize = 1_000
    /// Value of the population in the desk's form.
    static let populationName = "population"

    /// The selection from the desk's form, which is empty for the selection page; nil if there is none of that name.
    fileprivate static func named(_ name: String) -> Self? {
        let others: [String: Self] = ["": .asked, populationName: .population(populationSize)]
        return others[name] ?? Performer(rawValue: name).map(always)
    }
}

// Sign-in on a device: only the response of Apple's framework is simulated, not the sheet.
extension Simulator {
    /// Returns to an app what Apple's framework returns, for a form with `client_id`, `person` and `nonce`.
    ///
    /// The response contains the parameters of `/auth/native`, with `client_id`.
    func authorizeOnDevice(_ request: Request) async throws -> Response {
        let (form, team) = (try request.form(), try await snapshot())
        guard let client = form["client_id"].flatMap(ClientID.init(rawValue:)).flatMap(team.client),
            let performer = form["person"].flatMap(Performer.init(rawValue:))
        else { throw UserFacingError.wrongChoice }
        // As long as Pippin's own nonces may be, and without NUL, which the database rejects.
        let nonce = form["nonce"]
        guard nonce.map({ $0.utf8.count <= 512 && !$0.utf8.contains(0) }) ?? true else {
            throw UserFacingError.wrongChoice
        }
        let judged = AuthorizationRequest.native(client, nonce: nonce)
        let interaction = interactions.open(judged, browserHash: Self.browser, in: self.team, from: request.auditOrigin)
        try await interactions.begin(interaction)
        guard var answer = try await answer(performer, interaction, team, request) else {
            throw UserFacingError.wrongChoice
        }
        if let fault = script.take(at: .browser) {
            try answer.replace("id_token") { try forgery(fault, team).forge($0) }
        }
        let given = Dictionary(answer.parameters.map { ($0.name, $0.value) }) { $1 }
        return .json(Array(try handover(given, of: client, performer).utf8))
    }

    private func handover(_ given: [String: String], of client: Client, _ performer: Performer) throws -> String {
        var values: [String: JSONValue] = ["client_id": .string(client.id.rawValue)]
        values["code"] = given["code"].map { .string($0) }
        values["identity_token"] = given["id_token"].map { .string($0) }
        values["user"] = .string(performer.subject.rawValue)
        if let user = try given["user"].map({ try JSON.decode(JSONValue.self, from: Array($0.utf8)) }) {
            values["first_name"] = user["name"]?["firstName"]
            values["last_name"] = user["name"]?["lastName"]
            values["email"] = user["email"]
            values["real_user_status"] = "2"
        }
        return String(decoding: JSON.encode(JSONValue.object(values)), as: UTF8.self)
    }
}

// Apple's server-to-server notifications to apps that registered a URL for them.
extension Simulator {
    /// Simulates an event of a user, and notifies the user's apps as Apple does: signed, through the outbox.
    func sendNotification(_ request: Request) async throws -> Response {
        let form = try request.form()
        guard let performer = form["person"].flatMap(Performer.init(rawValue:)),
            let news = form["event"].flatMap(News.init(rawValue:)), let copies = Int(form["copies"] ?? "1"),
            (1...Self.mostCopies).contains(copies)
        else { throw UserFacingError.wrongChoice }
        let shape = NotificationFormat(accountDeleteEvent: news.spelling, copies: copies)
        let isTold = try await sendNotification(news.type, shape, of: performer, from: request.auditOrigin)
        return .redirect(to: (isTold ? Done.told : .nobody).link)
    }

    /// Maximum number of copies of a notification, which is more than Apple ever sends.
    private static let mostCopies = 5

    /// Enqueues the notifications; only `consentRevoked` also changes data, by ending the consents.
    ///
    /// - Returns: false if the user uses no app.
    private func sendNotification(
        _ type: NotificationType, _ form: NotificationFormat, of performer: Performer, from origin: Origin
    ) async throws -> Bool {
        let subject = performer.subject
        let apps = try await consentList.list(of: subject, in: team)
        for app in apps {
            let primaryAppID = app.consent.appID
            guard type != .consentRevoked else {
                try await authorizationEnds.endConsent(
                    of: subject, for: primaryAppID, in: team, by: .person(subject), from: origin, telling: form)
                continue
            }
            let notification = NewNotification(type, of: subject, to: primaryAppID, form: form)
            try await database.transaction(in: team) { transaction in
                _ = try await Notifications.enqueue(notification, in: team, transaction)
            }
        }
        return !apps.isEmpty
    }
}

/// Event of a user; the deletion of an account has both of Apple's spellings.
enum News: String, CaseIterable, Sendable {
    case consentRevoked = "consent-revoked"
    case accountDelete = "account-delete"
    case accountDeleted = "account-deleted"
    case emailDisabled = "email-disabled"
    case emailEnabled = "email-enabled"

    var type: NotificationType {
        switch self {
        case .consentRevoked: .consentRevoked
        case .accountDelete, .accountDeleted: .accountDelete
        case .emailDisabled: .emailDisabled
        case .emailEnabled: .emailEnabled
        }
    }

    var spelling: AccountDeleteEvent? {
        switch self {
        case .accountDelete: .accountDelete
        case .accountDeleted: .accountDeleted
        default: nil
        }
    }
}
