import Core
public import Directory
import OAuth
public import Platform
public import Postgres

/// Unlinks users from provider accounts that they have linked to their own.
public struct UpstreamUnlinkStore: Sendable {
    private let database: TeamDatabase

    public init(_ database: TeamDatabase) { self.database = database }

    /// Reason for which an unlink is rejected.
    public enum Refusal: Error, Hashable, Sendable {
        /// The user has not linked an account of the provider.
        case unknown
        /// The user would have no other way to sign in.
        case lastWay
    }

    /// Ends the link and what was obtained through it, and enqueues the revocation of the provider's tokens.
    ///
    /// - Parameters:
    ///   - right: the session in which the user requests it, which is kept even if it began at the provider.
    ///   - passkeysSuffice: whether a passkey alone signs in to the team.
    ///   - mailer: notifies the user.
    /// - Throws: `Refusal`, `SessionRight.Ended`, `PostgresFailure`.
    public func end(
        _ subject: Subject, from provider: ProviderID, keeping right: SessionRight, passkeysSuffice: Bool,
        in team: TeamID, from origin: Origin, telling mailer: FactorMailer
    ) async throws {
        try await database.transaction(in: team, locking: .person(subject, in: team)) { transaction in
            try await transaction.query(UserStore.lock(subject, in: team))
            try await right.check(transaction)
            let rows = try await transaction.query(Self.status(of: subject, provider, passkeysSuffice, in: team))
            guard var row = rows.first, try row.next(Bool.self) else { throw Refusal.unknown }
            guard try row.next(Bool.self) else { throw Refusal.lastWay }
            let actor = Actor.person(subject)
            try await UpstreamUnlink(of: subject, from: provider, by: actor, from: origin, in: team).apply(
                keeping: right.session.id, transaction)
            let tokens = UpstreamTokenEnd.parts(of: subject, in: team)
            try await transaction.query("WITH \(tokens) SELECT FROM upstream_ended")
            let event = AuditEvent(
                "identity.unlinked", by: actor, on: AuditEvent.Target("user", subject.rawValue), from: origin,
                before: ["provider": .string(provider.rawValue)])
            try await event.record(in: team, transaction)
            try await mailer.send(.appleDisconnected, to: subject, in: team, transaction)
        }
    }

    /// Whether the user, who is locked, has linked an account, and whether another way to sign in is left.
    private static func status(of subject: Subject, _ provider: ProviderID, _ passkeysSuffice: Bool, in team: TeamID)
        -> SQL
    {
        """
        SELECT
            EXISTS (
                SELECT FROM upstream_identities i
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
public struct UpstreamUnlink: Sendable {
    private let subject: Subject
    private let provider: ProviderID
    private let actor: Actor
    private let origin: Origin
    private let team: TeamID

    public init(of subject: Subject, from provider: ProviderID, by actor: Actor, from origin: Origin, in team: TeamID) {
        self.subject = subject
        self.provider = provider
        self.actor = actor
        self.origin = origin
        self.team = team
    }

    /// Applies the unlink in the caller's transaction.
    ///
    /// The user is locked first: a sign-in that is about to end holds that lock, and its writes are seen once it is
    /// done. Codes come before tokens: a redemption in progress holds its code, and its token is seen once it is done.
    ///
    /// - Parameter kept: a session that does not end.
    public func apply(keeping kept: SessionID? = nil, _ transaction: borrowing Transaction)
        async throws(PostgresFailure)
    {
        let came: SQL = "team_id = \(team) AND sub = \(subject) AND provider = \(provider)"
        try await transaction.query(UserStore.lock(subject, in: team))
        try await transaction.query(UpstreamAnnouncement.removal(of: subject, in: team))
        try await transaction.query(UpstreamUnlinks.noting(of: subject, from: provider, in: team))
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
        try await transaction.query("DELETE FROM upstream_identities WHERE \(came)")
    }
}
