import Audit
import Bytes
public import Domain

/// Everything a team keeps of one person, for the person.
public struct PersonExportStore: Sendable {
    /// Of events; the newest are exported.
    private static let eventLimit = 1000

    private let database: TeamDatabase
    private let details: UserDetailStore
    private let events: AuditStore

    public init(_ database: TeamDatabase) {
        self.database = database
        details = UserDetailStore(database)
        events = AuditStore(database)
    }

    /// The person's data as a JSON text; nil when the team has no such person.
    ///
    /// That it was taken is recorded.
    ///
    /// - Throws: `PostgresFailure`.
    public func export(
        _ subject: Subject,
        in team: TeamID,
        by actor: Actor,
        from origin: Origin
    ) async throws -> [UInt8]? {
        guard let detail = try await details.find(subject, in: team) else { return nil }
        let events = try await events.list(about: .user(subject), in: team, limit: Self.eventLimit)
        let event = AuditEvent("user.exported", by: actor, on: .user(subject), from: origin)
        try await database.query(event.insertion(in: team), in: team)
        let document: JSONValue = [
            "account": Self.json(detail), "apps": .array(detail.consents.map(Self.json)),
            "sessions": .array(detail.sessions.map(Self.json)),
            "refreshTokens": .array(detail.refreshTokens.map(Self.json)),
            "events": .array(events.map(Self.json)),
        ]
        return JSON.encode(document, pretty: true)
    }

    private static func json(_ detail: UserDetail) -> JSONValue {
        let user = detail.user
        return [
            "sub": .string(user.subject.rawValue), "givenName": .string(user.name.given),
            "familyName": .string(user.name.family), "email": text(user.email?.rawValue),
            "isEmailVerified": .boolean(user.isEmailVerified),
            "relayAddress": text(user.relayAddress?.rawValue),
            "logins": .array(detail.logins.map { .string($0.rawValue) }),
            "hasPassword": .boolean(detail.hasPassword), "createdAt": moment(user.createdAt),
            "lastSignInAt": moment(user.lastSignInAt),
        ]
    }

    private static func json(_ app: GrantedApp) -> JSONValue {
        [
            "appID": .string(app.consent.appID.rawValue), "name": .string(app.name),
            "sharedGivenName": text(app.consent.name?.given),
            "sharedFamilyName": text(app.consent.name?.family), "email": .string("\(app.consent.email)"),
            "forwardsMail": .boolean(app.consent.forwardsMail), "grantedAt": moment(app.consent.grantedAt),
        ]
    }

    private static func json(_ session: SessionSummary) -> JSONValue {
        [
            "startedAt": moment(session.startedAt), "lastSeenAt": moment(session.lastSeenAt),
            "expiresAt": moment(session.expiresAt), "ip": .string(session.ip),
            "userAgent": .string(session.userAgent),
        ]
    }

    private static func json(_ token: RefreshTokenSummary) -> JSONValue {
        [
            "client": .string(token.client.rawValue), "createdAt": moment(token.createdAt),
            "lastUsedAt": moment(token.lastUsedAt), "revokedAt": moment(token.revokedAt),
        ]
    }

    private static func json(_ event: AuditEntry) -> JSONValue {
        [
            "at": moment(event.at), "action": .string(event.action),
            "outcome": .string(event.outcome.rawValue), "ip": text(event.ip),
            "userAgent": text(event.userAgent),
        ]
    }

    private static func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
    private static func moment(_ moment: Timestamp?) -> JSONValue { text(moment?.description) }
}
