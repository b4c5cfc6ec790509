import Core
public import Directory
import OAuth
public import Platform
public import Postgres

/// Unlinks users from provider accounts that they have linked to their own.
public struct FederatedUnlinkStore: Sendable {
    private let database: TeamDatabase

    public init(_ database: TeamDatabase) { self.database = database }

    /// User and provider of an unlink.
    public struct End: Sendable {
        let subject: Subject
        let provider: ProviderID
        let right: SessionRight
        let passkeysSuffice: Bool
        let origin: Origin

        /// - Parameters:
        ///   - right: the session in which the user requests it, which is kept even if it began at the provider.
        ///   - passkeysSuffice: whether a passkey alone signs in to the team.
        public init(
            of subject: Subject, from provider: ProviderID, keeping right: SessionRight, passkeysSuffice: Bool,
            origin: Origin
        ) {
            self.subject = subject
            self.provider = provider
            self.right = right
            self.passkeysSuffice = passkeysSuffice
            self.origin = origin
        }
    }

    /// Reason for which an unlink is rejected.
    public enum Refusal: Error, Hashable, Sendable {
        /// The user has not linked an account of the provider.
        case unknown
        /// The user would have no other way to sign in.
        case lastWay
    }

    /// Ends the link and what was obtained through it, and enqueues the revocation of the provider's tokens.
    ///
    /// - Parameter mailer: notifies the user.
    /// - Throws: `Refusal`, `SessionRight.Ended`, `PostgresFailure`.
    public func end(_ end: End, in team: TeamID, telling mailer: FactorMailer) async throws {
        try await database.transaction(in: team, locking: .person(end.subject, in: team)) { transaction in
            try await transaction.query(UserStore.lock(end.subject, in: team))
            try await end.right.check(transaction)
            let rows = try await transaction.query(end.status(in: team))
            guard var row = rows.first, try row.next(Bool.self) else { throw Refusal.unknown }
            guard try row.next(Bool.self) else { throw Refusal.lastWay }
            let actor = Actor.person(end.subject)
            let unlink = FederatedUnlink(
                of: end.subject, from: end.provider, keeping: end.right.session.id, by: actor, from: end.origin,
                in: team)
            try await unlink.apply(transaction)
            let tokens = UpstreamTokenEnd.parts(of: end.subject, in: team)
            try await transaction.query("WITH \(tokens) SELECT FROM provider_ended")
            let event = AuditEvent(
                "identity.unlinked", by: actor, on: AuditEvent.Target("user", end.subject.rawValue), from: end.origin,
                before: ["provider": .string(end.provider.rawValue)])
            try await event.record(in: team, transaction)
            try await mailer.send(.providerUnlinked(end.provider), to: end.subject, in: team, transaction)
        }
    }
}

extension FederatedUnlinkStore.End {
    /// Whether the user, who is locked, has linked an account, and whether another way to sign in is left.
    fileprivate func status(in team: TeamID) -> SQL {
        """
        SELECT
            EXISTS (
                SELECT FROM provider_identities i
                WHERE i.team_id = \(team) AND i.sub = \(subject) AND i.provider = \(provider) AND i.linked_at IS NOT NULL
            ),
            EXISTS (SELECT FROM passwords p WHERE p.team_id = \(team) AND p.sub = \(subject))
                OR (\(passkeysSuffice) AND EXISTS (
                    SELECT FROM passkeys p WHERE p.team_id = \(team) AND p.sub = \(subject)
                ))
        """
    }
}

/// Unlink of a user from a provider: deletes the identities there and ends what was obtained through them.
///
/// This covers sessions, interactions, codes, tokens, and consents given on the provider's sheet, whose apps are
/// notified. Sessions and consents from directory sign-ins stay, and their apps are not notified.
public struct FederatedUnlink: Sendable {
    private let subject: Subject
    private let provider: ProviderID
    private let kept: SessionID?
    private let actor: Actor
    private let origin: Origin
    private let team: TeamID

    public init(
        of subject: Subject, from provider: ProviderID, keeping kept: SessionID? = nil, by actor: Actor,
        from origin: Origin, in team: TeamID
    ) {
        self.subject = subject
        self.provider = provider
        self.kept = kept
        self.actor = actor
        self.origin = origin
        self.team = team
    }

    /// Applies the unlink in the caller's transaction.
    ///
    /// The user is locked first: a sign-in that is about to end holds that lock, and its writes are seen once it is
    /// done. Codes come before tokens: a redemption in progress holds its code, and its token is seen once it is done.
    public func apply(_ transaction: borrowing Transaction) async throws(PostgresFailure) {
        let came: SQL = "team_id = \(team) AND sub = \(subject) AND provider = \(provider)"
        try await transaction.query(UserStore.lock(subject, in: team))
        try await transaction.query(ProviderAnnouncement.removal(of: subject, in: team))
        try await transaction.query(FederatedUnlinks.noting(of: subject, from: provider, in: team))
        let given = try await transaction.query("SELECT app_id FROM consents WHERE \(came) ORDER BY app_id")
        for var row in given {
            try await AuthorizationEnd.consent(of: subject, for: try row.next(), in: team, by: actor, from: origin)
                .apply(transaction)
        }
        var scope = AuthorizationEnd.Scope(of: subject)
        scope.provider = provider
        try await AuthorizationEnd(scope, in: team).apply(transaction)
        try await transaction.query(SessionStore.deletion(of: subject, begunAt: provider, except: kept, in: team))
        try await transaction.query(InteractionProgressStore.deletion(of: subject, provedAt: provider, in: team))
        try await transaction.query("DELETE FROM provider_identities WHERE \(came)")
    }
}
