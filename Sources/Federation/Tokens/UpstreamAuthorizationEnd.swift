import Core
import Directory
import OAuth
import Platform
import Postgres

/// End of a user's authorization, decided by the provider or by the user there, with its local effects.
struct UpstreamAuthorizationEnd: Sendable {
    /// How the end became known.
    enum Cause: String, Sendable {
        /// The provider rejects the refresh token; the reason may be no more than a changed password.
        case grantDead = "invalid_grant"
        /// The provider reported that the user stopped using the apps.
        case told = "consent-revoked"
    }

    let subject: Subject
    let provider: ProviderID
    let primaryAppID: ClientID
    let cause: Cause
    /// Time of the end, if known: what began later, with apps of another group, remains valid.
    var end: Timestamp?
    /// Rows dated later were written while a clock was ahead, and end as well.
    var horizon: Timestamp?
    let team: TeamID
    let now: Timestamp

    /// Ends sessions, interactions, codes and refresh tokens, revokes the credential state, and notifies the group's
    /// apps.
    ///
    /// For a user who linked the provider account to an existing account, only what was obtained through it ends, and
    /// the apps are notified only of a consent given there.
    ///
    /// The user is locked before the linked data is read. Codes come before tokens: a redemption in progress holds its
    /// code, and its token is seen once it is done.
    func apply(_ transaction: borrowing Transaction) async throws(PostgresFailure) {
        try await transaction.query(UserStore.lock(subject, in: team))
        let isLinked = try await isLinked(transaction)
        try await transaction.query(
            InteractionProgressStore.deletion(of: subject, provedAt: provider, until: end, in: team))
        if cause == .grantDead {
            try await transaction.query(UpstreamAnnouncement.removal(of: subject, for: primaryAppID, in: team))
        }
        try await authorizationEnd(isLinked).apply(transaction)
    }

    private func authorizationEnd(_ isLinked: Bool) -> AuthorizationEnd {
        var scope = AuthorizationEnd.Scope(of: subject, for: primaryAppID)
        if isLinked { scope.provider = provider }
        var authorizationEnd = AuthorizationEnd(scope, in: team)
        // If only the provider's token died the consent stays, because the provider will not send the name again; `user`
        // is delivered once more, because the apps have been notified to delete the user.
        authorizationEnd.consent = cause == .told ? .deleted : .undelivered
        authorizationEnd.notification = AuthorizationEnd.NotificationEffect(
            NewNotification(.consentRevoked, of: subject, to: primaryAppID), ofConsentAlone: isLinked)
        authorizationEnd.event = event(isLinked)
        let sessions = SessionStore.deletion(of: subject, begunAt: provider, until: end, orAfter: horizon, in: team)
        authorizationEnd.supplement = AuthorizationEnd.Supplement(
            parts: "\(identity), sessions AS (\(sessions))", ended: "SELECT sub FROM identity")
        return authorizationEnd
    }

    private func isLinked(_ transaction: borrowing Transaction) async throws(PostgresFailure) -> Bool {
        let rows = try await transaction.query(
            """
            SELECT EXISTS (
                SELECT FROM upstream_identities
                WHERE team_id = \(team) AND provider = \(provider) AND sub = \(subject) AND linked_at IS NOT NULL
            )
            """)
        guard var row = rows.first else { return false }
        return try row.next()
    }

    private var identity: SQL {
        """
        identity AS (
            UPDATE upstream_identities SET state = 'revoked', state_at = \(now)
            WHERE team_id = \(team) AND provider = \(provider) AND sub = \(subject) AND state = 'authorized'
                AND (\(end) IS NULL OR last_seen_at <= \(end) OR last_seen_at > \(horizon))
            RETURNING sub
        )
        """
    }

    private func event(_ isLinked: Bool) -> AuditEvent {
        AuditEvent(
            cause == .told && !isLinked ? "consent.ended" : "upstream_authorization.ended",
            by: .system(provider.rawValue), on: AuditEvent.Target("user", subject.rawValue), from: .local,
            after: ["appID": .string(primaryAppID.rawValue), "because": .string(cause.rawValue)])
    }
}

/// Determines the status of a user's authorization for a group from stored data; the user must be locked.
struct UpstreamAuthorizationStore: Sendable {
    /// Maximum time between a revocation by this server and its date in the provider's notification; calls time out
    /// earlier.
    private static let echo = Duration.seconds(600)

    private let provider: ProviderID

    init(of provider: ProviderID) { self.provider = provider }

    /// Status of an authorization after its end at a given moment.
    enum Status: Equatable, Sendable {
        /// Nothing has begun since.
        case ended
        /// The user has signed in to the group again, and the provider has issued a token for it.
        case renewed
        /// The user has signed in again, but no token confirms it yet.
        case arriving
        /// The user signed in about then, and the provider has issued a token for it or not yet.
        case unclear(hasToken: Bool)
        /// It was ended by a revocation that this server requested.
        case endedByUs

        /// - Parameters:
        ///   - token: time of the newest live token of the group.
        ///   - login: time of the last sign-in to the group.
        ///   - isEcho: whether this server requested a revocation about then.
        init(at moment: Timestamp, token: Timestamp?, login: Timestamp?, isEcho: Bool) {
            let order = { (recorded: Timestamp?) in recorded.map { EventOrder(of: $0, toEventAt: moment) } ?? .older }
            self =
                switch (order(token), order(login)) {
                case (.newer, _): .renewed
                case (.unclear, _): .unclear(hasToken: true)
                case (.older, .newer): .arriving
                case (.older, _) where isEcho: .endedByUs
                case (.older, .unclear): .unclear(hasToken: false)
                case (.older, .older): .ended
                }
        }
    }

    /// Status of the authorization that ended at `moment`.
    ///
    /// - Parameters:
    ///   - identifier: the provider's identifier of the user: revocations of this account's tokens count even if they
    ///     belonged to another user here.
    ///   - horizon: rows dated later were written while a clock was ahead, and do not count.
    func status(
        of subject: Subject, as identifier: Subject?, for primaryAppID: ClientID, at moment: Timestamp,
        believing horizon: Timestamp, in team: TeamID, _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) -> Status {
        let tokens: SQL = """
            FROM upstream_tokens
            WHERE team_id = \(team) AND sub = \(subject) AND app_id = \(primaryAppID) AND provider = \(provider)
                AND created_at <= \(horizon)
            """
        let rows = try await transaction.query(
            """
            SELECT (SELECT max(created_at) \(tokens) AND state = 'live'), arrival.at,
                EXISTS (
                    SELECT FROM upstream_tokens
                    WHERE team_id = \(team) AND app_id = \(primaryAppID) AND provider = \(provider)
                        AND (sub = \(subject) OR identifier = \(identifier))
                        AND revocation_asked_at BETWEEN \(moment - Self.echo) AND \(EventOrder.lastUnclear(toEventAt: moment))
                        AND (arrival.at IS NULL OR arrival.at <= revocation_asked_at OR arrival.at > \(moment))
                )
            FROM (SELECT \(login(of: subject, for: primaryAppID, tokens, until: horizon, in: team))) AS arrival (at)
            """)
        guard var row = rows.first else { return .ended }
        return Status(at: moment, token: try row.next(), login: try row.next(), isEcho: try row.next())
    }

    /// Time of the user's last sign-in to the group through the provider.
    private func login(
        of subject: Subject, for primaryAppID: ClientID, _ tokens: SQL, until horizon: Timestamp, in team: TeamID
    ) -> SQL {
        """
        greatest(
            (SELECT max(created_at) \(tokens)),
            (
                SELECT max(last_login_at) FROM upstream_identities
                WHERE team_id = \(team) AND sub = \(subject) AND provider = \(provider) AND last_login_app_id = \(primaryAppID)
                    AND last_login_at <= \(horizon)
            ),
            (
                SELECT granted_at FROM consents
                WHERE team_id = \(team) AND sub = \(subject) AND app_id = \(primaryAppID) AND granted_at <= \(horizon)
                    AND (
                        consents.provider = \(provider) OR NOT EXISTS (
                            SELECT FROM upstream_identities AS own
                            WHERE own.team_id = \(team) AND own.sub = \(subject) AND own.provider = \(provider)
                                AND own.linked_at IS NOT NULL
                        )
                    )
            )
        )
        """
    }
}
