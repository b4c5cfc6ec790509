public import Core
public import OAuth
public import Platform
public import Postgres

/// Identity of a user at a provider, as the provider signed it.
public struct UpstreamIdentity: Sendable {
    /// The provider's identifier of the user, the same in all apps of the team.
    public let identifier: Subject
    public private(set) var email: SharedIdentity.Email?
    /// Identifier of the user during a transfer from one of the provider's teams to another.
    public private(set) var transferSubject: String?
    /// Apple's `real_user_status`: 0 unsupported, 1 unknown, 2 likely real; at the first native sign-in only.
    public private(set) var realUserStatus: Int?
    /// `real_user_status` as an app reports it, unsigned: used only if no other value is known.
    public private(set) var observedStatus: Int?
    /// Time at which the user authenticated.
    public let authenticatedAt: Timestamp
    /// Nonce of the token.
    public let nonce: String?

    public init(
        identifier: Subject, email: SharedIdentity.Email?, transferSubject: String?, realUserStatus: Int?,
        authenticatedAt: Timestamp, nonce: String? = nil
    ) {
        self.identifier = identifier
        self.email = email
        self.transferSubject = transferSubject
        self.realUserStatus = realUserStatus
        self.authenticatedAt = authenticatedAt
        self.nonce = nonce
    }

    /// Copy with the `real_user_status` that the app received.
    public func observed(_ status: Int?) -> UpstreamIdentity {
        var identity = self
        identity.observedStatus = status
        return identity
    }

    /// Copy completed with claims that only another token of the same user contains.
    public func completed(by other: UpstreamIdentity?) -> UpstreamIdentity {
        var identity = self
        identity.email = email ?? other?.email
        identity.transferSubject = transferSubject ?? other?.transferSubject
        identity.realUserStatus = realUserStatus ?? other?.realUserStatus
        return identity
    }
}

/// Name and address of Apple's `user`, as far as they are readable.
public struct UpstreamForm: Sendable {
    private static let maxDepth = 8

    public let givenName: String
    public let familyName: String
    public let email: String?
    public let source: Source

    /// Source of the data.
    public enum Source: Sendable {
        /// The provider, by way of the browser: a name from it always replaces the stored one.
        case provider
        /// An app, at any time: a name that was delivered to apps is kept.
        case app
    }

    public init(givenName: String, familyName: String, email: String?, from source: Source) {
        self.givenName = givenName
        self.familyName = familyName
        self.email = email
        self.source = source
    }

    /// Parses Apple's `user`, with its text repaired; nil for a text that is not a JSON object.
    public init?(_ text: String) {
        guard let value = try? JSON.object(repairing: Array(text.utf8), maxDepth: Self.maxDepth) else { return nil }
        givenName = value["name"]?["firstName"]?.string ?? ""
        familyName = value["name"]?["lastName"]?.string ?? ""
        email = value["email"]?.string
        source = .provider
    }

    /// Text as stored in the vault: cut to fit its column, without U+0000, otherwise unchanged.
    static func kept(_ text: String?) -> String? {
        text.map { String(String.UnicodeScalarView($0.unicodeScalars.filter { $0.value != 0 }.prefix(200))) }
    }
}

/// Reads the identities of users at providers.
public struct UpstreamIdentityListStore: Sendable {
    private let database: TeamDatabase

    public init(_ database: TeamDatabase) { self.database = database }

    /// Identities of one user, oldest first.
    public func list(of subject: Subject, in team: TeamID) async throws(PostgresFailure) -> [LinkedIdentity] {
        let rows = try await database.query(
            """
            SELECT provider, identifier, transfer_sub, real_user_status::bigint, form_given_name, form_family_name,
                form_email, form_received_at, email, is_private_email, linked_at, state, state_at, created_at,
                last_seen_at
            FROM upstream_identities
            WHERE team_id = \(team) AND sub = \(subject)
            ORDER BY created_at, identifier
            """, in: team)
        return try rows.all(LinkedIdentity.init)
    }
}

extension LinkedIdentity {
    fileprivate init(_ row: inout Row) throws(PostgresFailure) {
        provider = try row.next()
        identifier = try row.next()
        transferSubject = try row.next()
        realUserStatus = try row.next()
        let (givenName, familyName): (String, String) = (try row.next(), try row.next())
        let (email, receivedAt): (String?, Timestamp?) = (try row.next(), try row.next())
        vault = receivedAt.map { Vault(givenName: givenName, familyName: familyName, email: email, receivedAt: $0) }
        self.email = try row.next()
        isEmailPrivate = try row.next()
        linkedAt = try row.next()
        state = try row.next()
        stateAt = try row.next()
        createdAt = try row.next()
        lastSeenAt = try row.next()
    }
}
