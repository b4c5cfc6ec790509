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

    private let subject: Subject
    private let provider: ProviderID
    private let primaryAppID: ClientID
    private let cause: Cause
    private let end: Timestamp?
    private let horizon: Timestamp?
    private let team: TeamID
    private let now: Timestamp

    /// - Parameters:
    ///   - end: time of the end, if known: what began later, with apps of another group, remains valid.
    ///   - horizon: rows dated later were written while a clock was ahead, and end as well.
    init(
        of subject: Subject, at provider: ProviderID, for primaryAppID: ClientID, because cause: Cause,
        since end: Timestamp? = nil, believing horizon: Timestamp? = nil, team: TeamID, now: Timestamp
    ) {
        self.subject = subject
        self.provider = provider
        self.primaryAppID = primaryAppID
        self.cause = cause
        self.end = end
        self.horizon = horizon
        self.team = team
        self.now = now
    }

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
            try await transaction.query(ProviderAnnouncement.removal(of: subject, for: primaryAppID, in: team))
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
        authorizationEnd.notice = AuthorizationEnd.Notice(
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
                SELECT FROM provider_identities
                WHERE team_id = \(team) AND provider = \(provider) AND sub = \(subject) AND linked_at IS NOT NULL
            )
            """)
        guard var row = rows.first else { return false }
        return try row.next()
    }

    private var identity: SQL {
        """
        identity AS (
            UPDATE provider_identities SET state = 'revoked', state_at = \(now)
            WHERE team_id = \(team) AND provider = \(provider) AND sub = \(subject) AND state = 'authorized'
                AND (\(end) IS NULL OR last_seen_at <= \(end) OR last_seen_at > \(horizon))
            RETURNING sub
        )
        """
    }

    private func event(_ isLinked: Bool) -> AuditEvent {
        AuditEvent(
            cause == .told && !isLinked ? "consent.ended" : "provider_authorization.ended",
            by: .system(provider.rawValue), on: AuditEvent.Target("user", subject.rawValue), from: .local,
            after: ["appID": .string(primaryAppID.rawValue), "because": .string(cause.rawValue)])
    }
}
