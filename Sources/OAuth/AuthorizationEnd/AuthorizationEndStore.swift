import Core
public import Directory
public import Platform
public import Postgres

/// Ends authorizations: by revocation, *Stop using*, sign-out, or a decision of the team.
public struct AuthorizationEndStore: Sendable {
    let database: TeamDatabase
    let upstream: any UpstreamEnds

    public init(_ database: TeamDatabase, upstream: any UpstreamEnds) {
        self.database = database
        self.upstream = upstream
    }

    /// Ends a user's consent to a group of apps, together with the group's codes and refresh tokens, and sends the
    /// group the notification `consent-revoked`.
    ///
    /// The next sign-in is treated as the first, with the same `sub`. The group's upstream tokens are revoked at the
    /// provider, through the outbox.
    ///
    /// - Parameters:
    ///   - form: format of the notification.
    ///   - isSeen: whether the caller has just found something to end; otherwise this is checked before the user's row
    ///     is locked.
    /// - Returns: whether there was anything to end.
    @discardableResult public func endConsent(
        of subject: Subject, for primaryAppID: ClientID, in team: TeamID, by actor: Actor, from origin: Origin,
        telling form: NotificationFormat = NotificationFormat(), isSeen: Bool = false, because reason: String? = nil
    ) async throws(PostgresFailure) -> Bool {
        let end = AuthorizationEnd.consent(
            of: subject, for: primaryAppID, in: team, by: actor, from: origin, telling: form, because: reason)
        if !isSeen, try await database.query(end.status(upstream), in: team).isEmpty { return false }
        return try await !database.query(end.statements(upstream), in: team).isEmpty
    }

    /// Ends a user's consent at the user's own request, authorized by a session.
    ///
    /// - Throws: `SessionRight.Ended`, `PostgresFailure`.
    public func endConsent(
        by right: SessionRight, for primaryAppID: ClientID, in team: TeamID, as actor: Actor, from origin: Origin
    ) async throws {
        let subject = right.session.user.subject
        let end = AuthorizationEnd.consent(of: subject, for: primaryAppID, in: team, by: actor, from: origin)
        try await database.change(in: team, by: actor, from: origin, locking: .person(subject, in: team)) { change in
            try await UserStore.lock(subject, by: right, change)
            try await change.transaction.query(end.statements(upstream))
        }
    }

    /// Revokes one live token of a user, and thereby the access tokens issued with it; the consent remains.
    ///
    /// An app with a revoked token has to send the user to sign in again. The upstream token of a group of apps is
    /// revoked with the group's last session, as at a sign-out.
    ///
    /// - Returns: whether there was such a token.
    public func revokeToken(
        _ id: RefreshTokenID, of subject: Subject, in team: TeamID, by actor: Actor, from origin: Origin,
        because reason: String? = nil
    ) async throws(PostgresFailure) -> Bool {
        var end = AuthorizationEnd(AuthorizationEnd.Scope(token: id.octets, of: subject), in: team)
        end.endsCodes = false
        end.upstream = .withLastSession
        end.event = AuditEvent(
            "token.revoked", by: actor, on: .user(subject), from: origin,
            after: .members(["token": .string(id.rawValue)], because: reason))
        return try await !database.query(end.statements(upstream), in: team).isEmpty
    }

    /// Revokes all live tokens of a user, deletes unredeemed codes, and enqueues the revocation of all upstream tokens;
    /// consents remain.
    ///
    /// - Returns: the number of revoked tokens.
    public func revokeAllTokens(
        of subject: Subject, in team: TeamID, by actor: Actor, from origin: Origin, because reason: String? = nil
    ) async throws(PostgresFailure) -> Int {
        var end = AuthorizationEnd(AuthorizationEnd.Scope(of: subject), in: team)
        end.upstream = .always
        end.event = AuditEvent(
            "tokens.revoked", by: actor, on: .user(subject), from: origin, after: reason.map { .members(because: $0) })
        guard var row = try await database.query(end.statements(upstream), in: team).first else { return 0 }
        return try row.next()
    }

    /// Ends one session of a user with a client's group of apps, or all, and the hosted sessions they were obtained in;
    /// the consent remains.
    ///
    /// When no session with the group is left, the group's upstream tokens are revoked too.
    ///
    /// - Parameter token: the session's refresh token; nil for all sessions, with unredeemed codes.
    func signOut(
        _ subject: Subject, of client: AuthenticatedClient, token: RefreshToken?, in team: TeamID, from origin: Origin,
        at moment: Timestamp
    ) async throws(PostgresFailure) {
        var scope = AuthorizationEnd.Scope(of: subject, for: client.primaryAppID)
        scope.purpose = .test(client.testSignIn)
        scope.token = token.map { ($0.id, $0.secretHash) }
        var end = AuthorizationEnd(scope, in: team)
        end.endsCodes = token == nil
        end.upstream = client.testSignIn == nil ? .withLastSession : .kept
        end.endsSessions = true
        end.moment = moment
        end.event = AuditEvent(
            "app_session.ended", by: .client(client.id), on: .user(subject), from: origin,
            after: ["appID": .string(client.primaryAppID.rawValue), "scope": .string(token == nil ? "all" : "one")])
        guard try await !database.query(end.status(upstream), in: team).isEmpty else { return }
        try await database.query(end.statements(upstream), in: team)
    }

    /// Revokes the one token of a test sign-in; the consent remains, because it is the user's own.
    func revoke(_ id: [UInt8], ofTestSignIn testSignIn: TestSignInID, in team: TeamID, at moment: Timestamp)
        async throws(PostgresFailure)
    {
        var scope = AuthorizationEnd.Scope(token: id)
        scope.purpose = .test(testSignIn)
        try await revoke(scope, event: nil, in: team, at: moment)
    }

    /// Revokes the token issued for a code that is presented again; the audit event is recorded only when the token was
    /// live, so that a repeated replay is recorded once.
    func revoke(_ id: [UInt8], event: AuditEvent, in team: TeamID, at moment: Timestamp) async throws(PostgresFailure) {
        try await revoke(AuthorizationEnd.Scope(token: id), event: event, in: team, at: moment)
    }

    private func revoke(_ scope: AuthorizationEnd.Scope, event: AuditEvent?, in team: TeamID, at moment: Timestamp)
        async throws(PostgresFailure)
    {
        var end = AuthorizationEnd(scope, in: team)
        end.endsCodes = false
        end.moment = moment
        end.event = event
        try await database.query(end.statements(upstream), in: team)
    }
}

extension AuthorizationEnd {
    /// The end of a user's consent to a group of apps, with its codes, tokens and upstream tokens.
    public static func consent(
        of subject: Subject, for primaryAppID: ClientID, in team: TeamID, by actor: Actor, from origin: Origin,
        telling form: NotificationFormat = NotificationFormat(), because reason: String? = nil
    ) -> AuthorizationEnd {
        var end = AuthorizationEnd(Scope(of: subject, for: primaryAppID), in: team)
        end.consent = .deleted
        end.upstream = .whenEnded
        end.event = AuditEvent(
            "consent.ended", by: actor, on: .user(subject), from: origin,
            after: .members(["appID": .string(primaryAppID.rawValue)], because: reason))
        end.notification = NotificationEffect(
            NewNotification(.consentRevoked, of: subject, to: primaryAppID, form: form))
        return end
    }

    /// Statement that deletes the codes of a user who is about to be deleted.
    public static func deletingCodes(of subject: Subject, in team: TeamID) -> SQL {
        "DELETE FROM authorization_codes WHERE team_id = \(team) AND sub = \(subject)"
    }

    /// Deletes the codes and refresh tokens of a user who is about to be deleted and whose row is locked.
    ///
    /// - Returns: the number of tokens.
    public static func deleteAll(of subject: Subject, _ change: borrowing Change) async throws(PostgresFailure) -> Int {
        let team = change.team
        try await change.query(deletingCodes(of: subject, in: team))
        return try await change.transaction.deleteInBatches { batch in
            """
            DELETE FROM refresh_tokens WHERE team_id = \(team) AND token_id IN (
                SELECT token_id FROM refresh_tokens WHERE team_id = \(team) AND sub = \(subject) LIMIT \(batch)
            )
            """
        }
    }
}
