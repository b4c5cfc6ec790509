import Audit
import Bytes
public import Directory
public import Domain
public import Postgres

/// Ends what apps may know: revocation, *Stop using*, a team's decision.
///
/// The next sign-in is a first one again, with the same `sub`.
public struct ConsentEndStore: Sendable {
    private let database: TeamDatabase

    public init(_ database: TeamDatabase) {
        self.database = database
    }

    /// Ends a person's consent to a group of apps, with the codes and refresh tokens the group holds, and tells the
    /// group (`consent-revoked`).
    ///
    /// What a provider gave for the group is revoked there, by the outbox.
    ///
    /// - Parameters:
    ///   - form: how the group is told.
    ///   - isSeen: whether the caller has just found something that ends; otherwise that is looked at first, before the
    ///     person is locked.
    /// - Returns: whether there was anything to end.
    @discardableResult
    public func end(
        of subject: Subject,
        for appID: ClientID,
        in team: TeamID,
        by actor: Actor,
        from origin: Origin,
        telling form: NoticeForm = NoticeForm(),
        isSeen: Bool = false
    ) async throws(PostgresFailure) -> Bool {
        let end = Self.consentEnd(of: subject, for: appID, in: team, by: actor, from: origin, telling: form)
        // Whoever asks for it again and again keeps nobody else from the person.
        if !isSeen, try await database.query(end.standing, in: team).isEmpty { return false }
        return try await !database.query(end.statements, in: team).isEmpty
    }

    /// The same for the person themselves, in a session of theirs.
    ///
    /// - Throws: `SessionRight.Over`, `PostgresFailure`.
    public func end(
        by right: SessionRight,
        for appID: ClientID,
        in team: TeamID,
        as actor: Actor,
        from origin: Origin
    ) async throws {
        let subject = right.session.user.subject
        try await database.transaction(in: team, locking: .person(subject, in: team)) { transaction in
            try await UserStore.lock(subject, by: right, in: team, transaction)
            try await Self.end(of: subject, for: appID, in: team, by: actor, from: origin, transaction)
        }
    }

    /// The same in the caller's transaction.
    static func end(
        of subject: Subject,
        for appID: ClientID,
        in team: TeamID,
        by actor: Actor,
        from origin: Origin,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) {
        let end = consentEnd(
            of: subject,
            for: appID,
            in: team,
            by: actor,
            from: origin,
            telling: NoticeForm()
        )
        try await transaction.query(end.statements)
    }

    private static func consentEnd(
        of subject: Subject,
        for appID: ClientID,
        in team: TeamID,
        by actor: Actor,
        from origin: Origin,
        telling form: NoticeForm
    ) -> ConsentEnd {
        let event = AuditEvent(
            "consent.ended",
            by: actor,
            on: AuditEvent.Target("user", subject.rawValue),
            from: origin,
            after: ["appID": .string(appID.rawValue)]
        )
        let notice = NewNotice(.consentRevoked, of: subject, to: appID, form: form)
        return ConsentEnd(subject: subject, appID: appID, team: team, event: event, notice: notice)
    }
}

/// The end of one consent, in one transaction.
private struct ConsentEnd {
    let subject: Subject
    let appID: ClientID
    let team: TeamID
    let event: AuditEvent
    let notice: NewNotice

    /// The last yields a row when there was anything to end.
    ///
    /// The person first: a code that is being issued waits for the end of its consent, or is seen by it. Codes before
    /// tokens: a redemption under way holds its code, and its token is seen once it is done.
    var statements: [SQL] {
        [
            UserStore.lock(subject, in: team),
            ProviderAnnouncement.removal(of: subject, for: appID, in: team),
            codes,
            consentAndTokens,
        ]
    }

    /// Yields a row where there may be something to end: a consent that is about to be given is given after this.
    var standing: SQL {
        """
        SELECT 1 FROM consents WHERE team_id = \(team) AND sub = \(subject) AND app_id = \(appID)
        UNION ALL
        SELECT 1 FROM refresh_tokens
        WHERE team_id = \(team) AND sub = \(subject) AND app_id = \(appID) AND revoked_at IS NULL
        UNION ALL
        SELECT 1 FROM authorization_codes
        WHERE team_id = \(team) AND sub = \(subject) AND app_id = \(appID) AND redeemed_at IS NULL
        UNION ALL
        SELECT 1 FROM provider_announcements WHERE team_id = \(team) AND sub = \(subject) AND app_id = \(appID)
        LIMIT 1
        """
    }

    /// A redeemed code stays, so that a second redemption is known as one.
    private var codes: SQL {
        """
        DELETE FROM authorization_codes
        WHERE team_id = \(team) AND sub = \(subject) AND app_id = \(appID) AND redeemed_at IS NULL
        """
    }

    private var consentAndTokens: SQL {
        """
        WITH parting AS (
            \(ProviderPartings.noting(of: subject, for: appID, in: team))
        ), consent AS (
            DELETE FROM consents
            WHERE team_id = \(team) AND sub = \(subject) AND app_id = \(appID)
            RETURNING sub
        ), tokens AS (
            UPDATE refresh_tokens SET revoked_at = clock_timestamp()
            WHERE team_id = \(team) AND sub = \(subject) AND app_id = \(appID) AND revoked_at IS NULL
            RETURNING sub
        ), ended AS (
            SELECT sub FROM consent UNION SELECT sub FROM tokens
        ), audit AS (
            \(event.insertion(in: team, when: "FROM ended"))
        ), \(notice.parts(in: team, when: "FROM ended")),
        \(ProviderTokenEnd.parts(of: subject, for: appID, in: team, when: "FROM ended"))
        SELECT sub FROM ended
        """
    }
}
