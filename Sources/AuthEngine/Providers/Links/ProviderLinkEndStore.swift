import Audit
import Bytes
public import Directory
public import Domain
import Postgres

/// Parts people from accounts at providers that they have connected to theirs.
public struct ProviderLinkEndStore: Sendable {
    private let database: TeamDatabase

    public init(_ database: TeamDatabase) {
        self.database = database
    }

    /// Who parts from what.
    public struct End: Sendable {
        let subject: Subject
        let provider: ProviderID
        let right: SessionRight
        let passkeysSuffice: Bool
        let origin: Origin

        /// - Parameters:
        ///   - right: the session in which they ask for it, which is kept although it may have begun there.
        ///   - passkeysSuffice: whether a passkey alone signs in to the team.
        public init(
            of subject: Subject,
            from provider: ProviderID,
            keeping right: SessionRight,
            passkeysSuffice: Bool,
            origin: Origin
        ) {
            self.subject = subject
            self.provider = provider
            self.right = right
            self.passkeysSuffice = passkeysSuffice
            self.origin = origin
        }
    }

    /// Why a person stays connected.
    public enum Refusal: Error, Hashable, Sendable {
        /// There is nothing that they have connected.
        case unknown
        /// They would have no way to sign in.
        case lastWay
    }

    /// Ends the connection with what came by way of it, and has the provider's tokens revoked there.
    ///
    /// - Parameter post: tells the person.
    /// - Throws: `Refusal`, `SessionRight.Over`, `PostgresFailure`.
    public func end(_ end: End, in team: TeamID, telling post: FactorPost) async throws {
        try await database.transaction(in: team, locking: .person(end.subject, in: team)) { transaction in
            try await transaction.query(UserStore.lock(end.subject, in: team))
            try await end.right.check(transaction)
            let rows = try await transaction.query(end.standing(in: team))
            guard var row = rows.first, try row.next(Bool.self) else { throw Refusal.unknown }
            guard try row.next(Bool.self) else { throw Refusal.lastWay }
            let actor = Actor.person(end.subject)
            let parting = ProviderParting(
                of: end.subject,
                from: end.provider,
                keeping: end.right.session.id,
                by: actor,
                from: end.origin,
                in: team
            )
            try await parting.apply(transaction)
            let tokens = ProviderTokenEnd.parts(of: end.subject, in: team)
            try await transaction.query("WITH \(tokens) SELECT FROM provider_ended")
            let event = AuditEvent(
                "identity.unlinked",
                by: actor,
                on: AuditEvent.Target("user", end.subject.rawValue),
                from: end.origin,
                before: ["provider": .string(end.provider.rawValue)]
            )
            try await event.record(in: team, transaction)
            try await post.tell(.providerUnlinked(end.provider), to: end.subject, in: team, transaction)
        }
    }
}

extension ProviderLinkEndStore.End {
    /// Whether the person, who is locked, has connected something, and whether another way in is left.
    fileprivate func standing(in team: TeamID) -> SQL {
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

/// The end of a person's identities at a provider, with what came by way of them: sessions and sign-ins under way, codes,
/// tokens, and consents given on the provider's sheet, whose apps are told.
///
/// What the person did at the directory stays, and nobody hears of it.
struct ProviderParting: Sendable {
    private let subject: Subject
    private let provider: ProviderID
    private let kept: SessionID?
    private let actor: Actor
    private let origin: Origin
    private let team: TeamID

    init(
        of subject: Subject,
        from provider: ProviderID,
        keeping kept: SessionID? = nil,
        by actor: Actor,
        from origin: Origin,
        in team: TeamID
    ) {
        self.subject = subject
        self.provider = provider
        self.kept = kept
        self.actor = actor
        self.origin = origin
        self.team = team
    }

    /// The person first: a sign-in that is about to end holds them, and what it wrote is seen once it is done.
    ///
    /// Codes before tokens: a redemption under way holds its code, and its token is seen once it is done.
    func apply(_ transaction: borrowing Transaction) async throws(PostgresFailure) {
        let own: SQL = "team_id = \(team) AND sub = \(subject)"
        let came: SQL = "\(own) AND provider = \(provider)"
        try await transaction.query(UserStore.lock(subject, in: team))
        try await transaction.query(ProviderAnnouncement.removal(of: subject, in: team))
        try await transaction.query(ProviderPartings.noting(of: subject, from: provider, in: team))
        let given = try await transaction.query(
            "SELECT app_id FROM consents WHERE \(came) ORDER BY app_id"
        )
        for var row in given {
            try await ConsentEndStore.end(
                of: subject,
                for: try row.next(),
                in: team,
                by: actor,
                from: origin,
                transaction
            )
        }
        try await transaction.query("DELETE FROM authorization_codes WHERE \(came) AND redeemed_at IS NULL")
        try await transaction.query(
            "UPDATE refresh_tokens SET revoked_at = clock_timestamp() WHERE \(came) AND revoked_at IS NULL"
        )
        try await transaction.query(
            """
            DELETE FROM sessions
            WHERE \(own) AND first_factor = \(provider.rawValue) AND token_hash IS DISTINCT FROM \(kept?.hash)
            """
        )
        try await transaction.query(
            AttemptProgressStore.deletion(of: subject, provedAt: provider, in: team)
        )
        try await transaction.query("DELETE FROM provider_identities WHERE \(came)")
    }
}
