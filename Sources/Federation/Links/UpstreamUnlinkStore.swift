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
        try await database.change(by: subject, in: team, from: origin) { change in
            try await UserStore.lock(subject, by: right, change)
            let rows = try await change.query(Self.status(of: subject, provider, passkeysSuffice, in: team))
            guard var row = rows.first, try row.next(Bool.self) else { throw Refusal.unknown }
            guard try row.next(Bool.self) else { throw Refusal.lastWay }
            try await UpstreamUnlink(of: subject, from: provider).apply(keeping: right.session.id, change)
            let tokens = UpstreamTokenEnd.parts(of: subject, in: team)
            try await change.query("WITH \(tokens) SELECT FROM upstream_ended")
            try await change.record("identity.unlinked", .user(subject), from: ["provider": .string(provider.rawValue)])
            try await mailer.send(.appleDisconnected, to: subject, change)
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

    public init(of subject: Subject, from provider: ProviderID) {
        self.subject = subject
        self.provider = provider
    }

    /// Applies the unlink.
    ///
    /// The user is locked first: a sign-in that is about to end holds that lock, and its writes are seen once it is
    /// done. Codes come before tokens: a redemption in progress holds its code, and its token is seen once it is done.
    ///
    /// - Parameter kept: a session that does not end.
    public func apply(keeping kept: SessionID? = nil, _ change: borrowing Change) async throws(PostgresFailure) {
        let team = change.team
        let came: SQL = "team_id = \(team) AND sub = \(subject) AND provider = \(provider)"
        try await change.query(UserStore.lock(subject, in: team))
        try await change.query(UpstreamAnnouncement.removal(of: subject, in: team))
        try await change.query(UpstreamUnlinks.noting(of: subject, from: provider, in: team))
        let given = try await change.query("SELECT app_id FROM consents WHERE \(came) ORDER BY app_id")
        for var row in given {
            try await AuthorizationEnd.consent(
                of: subject, for: try row.next(), in: team, by: change.actor, from: change.origin
            ).apply(change.transaction)
        }
        var scope = AuthorizationEnd.Scope(of: subject)
        scope.provider = provider
        try await AuthorizationEnd(scope, in: team).apply(change.transaction)
        try await change.query(SessionStore.deletion(of: subject, begunAt: provider, except: kept, in: team))
        try await change.query(InteractionProgressStore.deletion(of: subject, provedAt: provider, in: team))
        try await change.query("DELETE FROM upstream_identities WHERE \(came)")
    }
}
