import Audit
import Bytes
import Directory
import Domain
import Postgres

/// The end of a person's authorization that their provider decided on, or was told by them, with what ends here by it.
struct ProviderAuthorizationEnd: Sendable {
    /// How it became known.
    enum Cause: String, Sendable {
        /// The provider takes the refresh token no more; it may be no more than a new password.
        case grantDead = "invalid_grant"
        /// The provider said that the person stopped using the apps.
        case told = "consent-revoked"
    }

    private let subject: Subject
    private let provider: ProviderID
    private let group: ClientID
    private let cause: Cause
    private let end: Timestamp?
    private let horizon: Timestamp?
    private let team: TeamID
    private let now: Timestamp

    /// - Parameters:
    ///   - end: when it ended, where that is known: what began later at another group's apps stands.
    ///   - horizon: what is dated later was written while a clock was ahead, and ends as well.
    init(
        of subject: Subject,
        at provider: ProviderID,
        for group: ClientID,
        because cause: Cause,
        since end: Timestamp? = nil,
        believing horizon: Timestamp? = nil,
        team: TeamID,
        now: Timestamp
    ) {
        self.subject = subject
        self.provider = provider
        self.group = group
        self.cause = cause
        self.end = end
        self.horizon = horizon
        self.team = team
        self.now = now
    }

    /// Ends sessions, sign-ins under way, codes and refresh tokens, flips what devices are told, and tells the group's apps.
    ///
    /// Of a person who had an account before they connected that one, only what came by way of it ends; the apps hear of
    /// a consent alone that was given there.
    ///
    /// The person first, then what is known of them. Codes before tokens: a redemption under way holds its code, and its
    /// token is seen once it is done.
    func apply(_ transaction: borrowing Transaction) async throws(PostgresFailure) {
        try await transaction.query(UserStore.lock(subject, in: team))
        let isLinked = try await isLinked(transaction)
        let came: SQL = isLinked ? "AND provider = \(provider)" : ""
        try await transaction.query(
            """
            DELETE FROM authorization_codes
            WHERE team_id = \(team) AND sub = \(subject) AND app_id = \(group) AND redeemed_at IS NULL \(came)
            """
        )
        try await transaction.query(
            AttemptProgressStore.deletion(of: subject, provedAt: provider, until: end, in: team)
        )
        if cause == .grantDead {
            try await transaction.query(ProviderAnnouncement.removal(of: subject, for: group, in: team))
        }
        let notice = NewNotice(.consentRevoked, of: subject, to: group)
        try await transaction.query(
            """
            WITH \(identity), sessions AS (
                DELETE FROM sessions
                WHERE team_id = \(team) AND sub = \(subject) AND first_factor = \(provider.rawValue)
                    AND (\(end) IS NULL OR created_at <= \(end) OR created_at > \(horizon))
            ), consent AS (
                \(consent(came))
            ), tokens AS (
                UPDATE refresh_tokens SET revoked_at = clock_timestamp()
                WHERE team_id = \(team) AND sub = \(subject) AND app_id = \(group) AND revoked_at IS NULL \(came)
                RETURNING sub
            ), ended AS (
                SELECT sub FROM consent UNION SELECT sub FROM tokens UNION SELECT sub FROM identity
            ), audit AS (
                \(event(isLinked).insertion(in: team, when: "FROM ended"))
            ), \(notice.parts(in: team, when: isLinked ? "FROM consent" : "FROM ended"))
            SELECT FROM ended
            """
        )
    }

    private func isLinked(_ transaction: borrowing Transaction) async throws(PostgresFailure) -> Bool {
        let rows = try await transaction.query(
            """
            SELECT EXISTS (
                SELECT FROM provider_identities
                WHERE team_id = \(team) AND provider = \(provider) AND sub = \(subject) AND linked_at IS NOT NULL
            )
            """
        )
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

    /// A consent the person took back goes.
    ///
    /// Where only the provider's token died it stays, since the provider will not say the name again; `user` is delivered
    /// once more, because the apps were told to forget the person.
    private func consent(_ came: SQL) -> SQL {
        let rows: SQL = "team_id = \(team) AND sub = \(subject) AND app_id = \(group) \(came)"
        return switch cause {
        case .told: "DELETE FROM consents WHERE \(rows) RETURNING sub"
        case .grantDead: "UPDATE consents SET delivered_at = NULL WHERE \(rows) RETURNING sub"
        }
    }

    private func event(_ isLinked: Bool) -> AuditEvent {
        AuditEvent(
            cause == .told && !isLinked ? "consent.ended" : "provider_authorization.ended",
            by: .system(provider.rawValue),
            on: AuditEvent.Target("user", subject.rawValue),
            from: .local,
            after: ["appID": .string(group.rawValue), "because": .string(cause.rawValue)]
        )
    }
}
