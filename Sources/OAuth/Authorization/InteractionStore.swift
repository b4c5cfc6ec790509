public import Core
import Crypto
import Directory
public import Platform
import Postgres

/// Stores interactions.
///
/// A crash of the server may lose the last moments; the user then starts again.
struct InteractionStore: Sendable {
    let database: TeamDatabase
    let sealer: Sealer

    /// Stores a new interaction.
    func insert(_ interaction: Interaction) async throws(PostgresFailure) {
        try await database.query(insertion(of: interaction), in: interaction.team, durability: .relaxed)
    }

    func insertion(of interaction: Interaction) -> SQL {
        let app = interaction.app
        let sealed = interaction.secret.map { sealer.seal(Array($0.utf8), context: interaction.place) }
        return """
            INSERT INTO interactions (
                team_id, time_partition, interaction_id, browser_hash, client_id, app_id, redirect_uri, response_type,
                response_mode, wants_name, wants_email, state, nonce, code_challenge, test_sign_in_id, secret_sealed, language,
                login_hint, requires_reauthentication, created_at
            ) VALUES (
                \(interaction.team), \(interaction.id.timePartition.number), \(interaction.id), \(interaction.browserHash),
                \(app?.clientID), \(app?.primaryAppID), \(app?.redirectURI), \(app?.responseType), \(app?.responseMode), \(app?.scope.name ?? false),
                \(app?.scope.email ?? false), \(app?.testSignIn == nil ? app?.state : nil), \(app?.nonce), \(app?.codeChallenge), \(app?.testSignIn),
                \(sealed), \(interaction.language), \(app?.loginHint), \(interaction.progress.requiresReauthentication),
                \(interaction.createdAt)
            )
            """
    }

    /// Finds the unexpired interaction of that browser.
    func find(_ id: InteractionID, browserHash: [UInt8], in team: TeamID, at moment: Timestamp)
        async throws(PostgresFailure) -> Interaction?
    {
        let rows = try await database.query(
            """
            SELECT \(Interaction.columns)
            FROM interactions
            WHERE \(Interaction.condition(id, browserHash, team)) AND created_at > \(moment - Interaction.lifetime)
            """, in: team)
        guard var row = rows.first else { return nil }
        return try Interaction(&row, sealer)
    }

    /// Ends an interaction without a code; false when it no longer exists.
    func remove(_ interaction: Interaction) async throws(PostgresFailure) -> Bool {
        try await database.query(
            "DELETE FROM interactions WHERE \(interaction.condition)", in: interaction.team, durability: .relaxed
        ).changed == 1
    }
}

extension Interaction {
    /// The columns that `init` reads, in order.
    static let columns: SQL = """
        team_id, browser_hash, interaction_id, client_id, app_id, redirect_uri, response_type, response_mode, wants_name, wants_email, state,
        nonce, code_challenge, test_sign_in_id, login_hint, secret_sealed, language, sub, login, first_factor,
        first_factor_at, second_factor_due, second_factor, second_factor_at, entered_at, requires_reauthentication,
        created_at
        """

    init(_ row: inout Row, _ sealer: Sealer) throws(PostgresFailure) {
        team = try row.next()
        browserHash = try row.next()
        id = try row.next()
        var app = try AuthorizationRequest(&row)
        let sealed: [UInt8]? = try row.next()
        let place = Self.place(id, team)
        let secret = sealed.flatMap { sealer.open($0, context: place) }.flatMap { String(utf8: $0) }
        if app?.testSignIn != nil, let secret { app?.state = secret }
        goal = app.map { .app($0) } ?? .account(next: secret)
        language = try row.next()
        progress = try InteractionProgress(&row)
        createdAt = try row.next()
    }

    /// What Pippin issued: a path that may hold the token of a link, or the `state` of a test sign-in.
    fileprivate var secret: String? {
        switch goal {
        case .account(let next): next
        case .app(let app): app.testSignIn == nil ? nil : app.state
        }
    }

    fileprivate var place: [String] { Self.place(id, team) }

    /// Context that the secret is sealed for.
    private static func place(_ id: InteractionID, _ team: TeamID) -> [String] {
        [team.rawValue, "interactions", id.rawValue, "secret_sealed"]
    }

    /// The row of this interaction.
    var condition: SQL { Self.condition(id, browserHash, team) }

    /// The row of this interaction, unless it has expired.
    func openCondition(at moment: Timestamp) -> SQL { "\(condition) AND created_at > \(moment - Self.lifetime)" }

    /// The row of a browser's interaction: its address alone gives no access.
    fileprivate static func condition(_ id: InteractionID, _ browserHash: [UInt8], _ team: TeamID) -> SQL {
        """
        team_id = \(team) AND \(id.timePartition.condition) AND interaction_id = \(id)
            AND browser_hash = \(browserHash)
        """
    }
}

extension AuthorizationRequest {
    /// Reads all request columns; nil when the interaction has no app.
    fileprivate init?(_ row: inout Row) throws(PostgresFailure) {
        let (clientID, primaryAppID): (ClientID?, ClientID?) = (try row.next(), try row.next())
        let redirectURI: String? = try row.next()
        let responseType: AuthorizationRequest.ResponseType? = try row.next()
        let responseMode: AuthorizationRequest.ResponseMode? = try row.next()
        scope = AuthorizationRequest.Scope(name: try row.next(), email: try row.next())
        state = try row.next()
        nonce = try row.next()
        codeChallenge = try row.next()
        testSignIn = try row.next()
        loginHint = try row.next()
        guard let clientID, let primaryAppID, let redirectURI, let responseType, let responseMode else { return nil }
        self.clientID = clientID
        self.primaryAppID = primaryAppID
        self.redirectURI = redirectURI
        self.responseType = responseType
        self.responseMode = responseMode
    }
}

extension InteractionProgress {
    fileprivate init(_ row: inout Row) throws(PostgresFailure) {
        let subject: Subject? = try row.next()
        let login: String? = try row.next()
        let first = try Self.proof(&row)
        let due: SecondFactorDue? = try row.next()
        second = try Self.proof(&row)
        enteredAt = try row.next()
        requiresReauthentication = try row.next()
        if let subject, let first, let due {
            identity = Identity(subject: subject, login: login ?? "", proof: first, due: due)
        } else {
            identity = nil
        }
    }

    private static func proof(_ row: inout Row) throws(PostgresFailure) -> Proof? {
        let (method, at): (ProofMethod?, Timestamp?) = (try row.next(), try row.next())
        guard let method, let at else { return nil }
        return Proof(method, at: at)
    }
}

/// A sign-in in progress in a browser: its goal and its progress.
///
/// Whoever has one has it for the browser that began it: only `Interactions.open` and a look-up by that browser make one.
public struct Interaction: Sendable {
    /// Time within which the user must complete the sign-in.
    public static let lifetime = Duration.seconds(900)

    /// The destination after the sign-in.
    public enum Goal: Sendable {
        /// The app that sent the authorization request.
        case app(AuthorizationRequest)
        /// A page of Pippin: the requested path, or the user's account page.
        case account(next: String?)
    }

    public let team: TeamID
    /// Hash of the cookie of the browser that began it.
    public let browserHash: [UInt8]
    public let id: InteractionID
    public let goal: Goal
    public let progress: InteractionProgress
    /// Language tags for the pages of the sign-in, the most preferred first, separated by spaces.
    public let language: String?
    public let createdAt: Timestamp

    /// The app's request; nil for a sign-in to a page of Pippin.
    public var app: AuthorizationRequest? { if case .app(let request) = goal { request } else { nil } }
}
