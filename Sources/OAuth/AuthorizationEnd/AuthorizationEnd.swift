public import Core
import Directory
public import Platform
public import Postgres

/// End of authorizations: which codes, refresh tokens and consents end, and what follows from it.
///
/// Every end of a code, a token or a consent is one of these values, except the deletion of whole users and clients.
public struct AuthorizationEnd: Sendable {
    /// The authorizations that end: those of one user, or of one token.
    public struct Scope: Sendable {
        /// Sign-ins by their purpose.
        public enum Purpose: Sendable {
            case any
            /// Sign-ins of apps, or with an identifier those of one test in the console.
            case test(TestSignInID?)
        }

        /// The user; nil for a token whose user is not known.
        public var subject: Subject?
        /// The primary App ID of the group; nil for all groups.
        public var primaryAppID: ClientID?
        /// The provider through which the authorizations were obtained; nil for all.
        public var provider: ProviderID?
        public var purpose: Purpose = .any
        /// The only refresh token that ends, with the hash of its rotating half if it has one.
        public var token: (id: [UInt8], secretHash: [UInt8]?)?

        public init(of subject: Subject?, for primaryAppID: ClientID? = nil) {
            self.subject = subject
            self.primaryAppID = primaryAppID
        }

        /// The scope of one refresh token.
        public init(token id: [UInt8], secretHash: [UInt8]? = nil, of subject: Subject? = nil) {
            self.subject = subject
            token = (id, secretHash)
        }
    }

    /// What becomes of the consents.
    public enum ConsentEffect: Sendable {
        case kept
        /// The next sign-in is treated as the first.
        case deleted
        /// The next sign-in delivers name and address again.
        case undelivered
    }

    /// Which upstream tokens end.
    public enum UpstreamEffect: Sendable {
        case kept
        /// All of the scope, whatever else there is to end.
        case always
        /// All of the scope, if something else ended.
        case whenEnded
        /// Those of the group that has no live token and no unredeemed code left: Apple's revocation ends the whole
        /// authorization.
        case withLastSession
    }

    /// The notification to the app, and whether only the end of a consent causes it.
    public struct NotificationEffect: Sendable {
        let notification: NewNotification
        let ofConsentAlone: Bool

        public init(_ notification: NewNotification, ofConsentAlone: Bool = false) {
            self.notification = notification
            self.ofConsentAlone = ofConsentAlone
        }
    }

    /// Further parts of the WITH clause, and a query of the `sub` they ended.
    public struct Supplement: Sendable {
        let parts: SQL
        let ended: SQL

        public init(parts: SQL, ended: SQL) {
            self.parts = parts
            self.ended = ended
        }
    }

    public let scope: Scope
    let team: TeamID
    /// Whether unredeemed codes end; a redeemed code remains, so that a second redemption is recognized.
    public var endsCodes = true
    public var consent = ConsentEffect.kept
    public var upstream = UpstreamEffect.kept
    public var notification: NotificationEffect?
    public var event: AuditEvent?
    public var supplement: Supplement?
    /// Whether the hosted sessions end in which the tokens were obtained.
    public var endsSessions = false
    /// The time that the tokens are revoked at; nil for the database's.
    public var moment: Timestamp?

    public init(_ scope: Scope, in team: TeamID) {
        self.scope = scope
        self.team = team
    }
}

// Statements.
extension AuthorizationEnd {
    /// The statements in order, for one transaction.
    ///
    /// The user's row first: a code being issued either waits for the end, or is visible here. Codes before tokens: a
    /// redemption in progress locks its code, so that its token is visible afterwards. The last statement yields a row
    /// when something ended: the number of tokens.
    public func statements(_ upstream: any UpstreamEnds) -> [SQL] {
        var statements: [SQL] = []
        if let subject = scope.subject {
            statements.append(UserStore.lock(subject, in: team))
            if let group = withdrawn { statements.append(upstream.forgetting(subject, for: group, in: team)) }
        }
        if endsCodes { statements.append(codes) }
        statements.append(tokensAndConsents(upstream))
        return statements
    }

    /// Query that yields a row when there may be something to end, without a lock: repeated requests then do not block
    /// other transactions on the user's row.
    public func status(_ upstream: any UpstreamEnds) -> SQL {
        var queries: [SQL] = ["SELECT 1 FROM refresh_tokens WHERE \(liveTokens)"]
        if endsCodes { queries.append("SELECT 1 FROM authorization_codes WHERE \(owned) AND redeemed_at IS NULL") }
        if consent != .kept { queries.append("SELECT 1 FROM consents WHERE \(consents)") }
        if let subject = scope.subject, let group = withdrawn {
            queries.append(upstream.announced(subject, for: group, in: team))
        }
        return "\(queries.joined(separator: " UNION ALL ")) LIMIT 1"
    }

    /// The group of apps that the user leaves by a decision made here.
    private var withdrawn: ClientID? { consent == .deleted && upstream == .whenEnded ? scope.primaryAppID : nil }

    private var codes: SQL { "DELETE FROM authorization_codes WHERE \(owned) AND redeemed_at IS NULL" }

    private func tokensAndConsents(_ upstream: any UpstreamEnds) -> SQL {
        var parts: [SQL] = []
        if let subject = scope.subject, let group = withdrawn {
            parts.append("unlink AS (\(upstream.unlinking(subject, for: group, in: team)))")
        }
        if let supplement { parts.append(supplement.parts) }
        if let change = consentChange { parts.append("consent AS (\(change) RETURNING sub)") }
        parts.append(tokens)
        if endsSessions, let subject = scope.subject {
            parts.append("sessions_ended AS (\(SessionStore.deletion(of: subject, begunAt: Self.begun, in: team)))")
        }
        parts.append(ended)
        if let event { parts.append("audit AS (\(event.insertion(in: team, when: "FROM ended")))") }
        if let effect = notification {
            let cause: SQL = effect.ofConsentAlone ? "FROM consent" : "FROM ended"
            parts.append(effect.notification.parts(in: team, when: cause))
        }
        if let subject = scope.subject, let condition = upstreamCondition(of: subject) {
            parts.append(upstream.tokenEnd(of: subject, where: condition, in: team))
        }
        return "WITH \(parts.joined(separator: ", ")) SELECT (SELECT count(*) FROM tokens) FROM ended"
    }

    private var consentChange: SQL? {
        switch consent {
        case .kept: nil
        case .deleted: "DELETE FROM consents WHERE \(consents)"
        case .undelivered: "UPDATE consents SET delivered_at = NULL WHERE \(consents)"
        }
    }

    private var tokens: SQL {
        let moment: SQL = moment.map { "\($0)" } ?? "clock_timestamp()"
        return """
            tokens AS (
                UPDATE refresh_tokens SET revoked_at = \(moment) WHERE \(liveTokens)
                RETURNING token_id, sub, app_id, test_sign_in_id, provider, authenticated_at
            )
            """
    }

    /// Query of the times at which the hosted sessions began that the ended tokens were obtained in: their
    /// `auth_time`, unless a provider told it.
    private static let begun: SQL =
        "SELECT authenticated_at FROM tokens WHERE provider IS NULL AND test_sign_in_id IS NULL"

    private var ended: SQL {
        let consents: SQL = consent == .kept ? "" : "UNION SELECT sub FROM consent"
        let others: SQL = supplement.map { "UNION \($0.ended)" } ?? ""
        return "ended AS (SELECT DISTINCT sub FROM tokens \(consents) \(others))"
    }

    private func upstreamCondition(of subject: Subject) -> SQL? {
        switch upstream {
        case .kept: nil
        case .always: group
        case .whenEnded: "\(group) AND EXISTS (SELECT FROM ended)"
        case .withLastSession: lastSession(of: subject)
        }
    }

    /// The condition that a session of the token's group ended and was the last.
    private func lastSession(of subject: Subject) -> SQL {
        let moment: SQL = moment.map { "\($0)" } ?? "clock_timestamp()"
        return """
            app_id IN (SELECT app_id FROM tokens WHERE test_sign_in_id IS NULL)
                AND NOT EXISTS (
                    SELECT FROM refresh_tokens AS other
                    WHERE other.team_id = \(team) AND other.sub = \(subject) AND other.app_id = upstream_tokens.app_id
                        AND other.test_sign_in_id IS NULL AND other.revoked_at IS NULL
                        AND other.token_id NOT IN (SELECT token_id FROM tokens)
                )
                AND NOT EXISTS (
                    SELECT FROM authorization_codes AS code
                    WHERE code.team_id = \(team) AND code.sub = \(subject) AND code.app_id = upstream_tokens.app_id
                        AND code.test_sign_in_id IS NULL AND code.redeemed_at IS NULL AND code.expires_at > \(moment)
                )
            """
    }
}

// Conditions.
extension AuthorizationEnd {
    private var group: SQL { scope.primaryAppID.map { "app_id = \($0)" } ?? "true" }

    private var consents: SQL {
        let person: SQL = scope.subject.map { "sub = \($0)" } ?? "false"
        let provider: SQL = scope.provider.map { "AND provider = \($0)" } ?? ""
        return "team_id = \(team) AND \(person) AND \(group) \(provider)"
    }

    /// Rows of the scope in the tables of codes and of tokens.
    private var owned: SQL {
        var conditions: [SQL] = ["team_id = \(team)"]
        if let subject = scope.subject { conditions.append("sub = \(subject)") }
        if scope.primaryAppID != nil { conditions.append(group) }
        if let provider = scope.provider { conditions.append("provider = \(provider)") }
        if case .test(let test) = scope.purpose { conditions.append("test_sign_in_id IS NOT DISTINCT FROM \(test)") }
        return conditions.joined(separator: " AND ")
    }

    private var liveTokens: SQL {
        let token: SQL =
            scope.token.map { "AND token_id = \($0.id) AND \(RefreshTokenStore.matches($0.secretHash))" } ?? ""
        return "\(owned) \(token) AND revoked_at IS NULL"
    }
}
