public import Core
import Crypto
public import Directory
public import Platform
public import Postgres

/// Stores the proofs a user gives during an interaction.
///
/// Every statement also checks the browser, and changes nothing when its interaction has ended or has advanced.
public struct InteractionProgressStore: Sendable {
    let database: TeamDatabase
    let sealer: Sealer

    /// Stores the first proof and discards all earlier proofs of the interaction.
    ///
    /// - Parameter version: version of the user's credentials at the time the proof was checked.
    /// - Returns: the interaction as stored.
    func noteFirst(
        _ identity: InteractionProgress.Identity, under version: Int, in interaction: Interaction, at moment: Timestamp
    ) async throws(PostgresFailure) -> Interaction? {
        try await change(
            """
            UPDATE interactions
            SET sub = \(identity.subject), login = \(identity.login), first_factor = \(identity.proof.method),
                first_factor_at = \(identity.proof.at), second_factor_due = \(identity.due),
                second_factor = NULL, second_factor_at = NULL, entered_at = NULL, credentials_version = \(version)
            WHERE \(interaction.openCondition(at: moment)) AND EXISTS (
                SELECT FROM users
                WHERE team_id = \(interaction.team) AND sub = \(identity.subject) AND suspended_at IS NULL
                    AND credentials_version = \(version)
            )
            """, in: interaction.team)
    }

    /// Stores the second proof of the user who gave the first.
    ///
    /// - Returns: the interaction as stored.
    func noteSecond(_ proof: Proof, of subject: Subject, in interaction: Interaction, at moment: Timestamp)
        async throws(PostgresFailure) -> Interaction?
    {
        try await change(
            """
            UPDATE interactions SET second_factor = \(proof.method), second_factor_at = \(proof.at)
            WHERE \(interaction.openCondition(at: moment)) AND sub = \(subject) AND second_factor IS NULL
                AND entered_at IS NULL AND \(Self.stands)
            """, in: interaction.team)
    }

    /// A query that returns a row while the interaction's user must enrol a factor; the user's row is locked first.
    static func owingEnrolment(of subject: Subject, in interaction: Interaction, at moment: Timestamp) -> SQL {
        """
        SELECT FROM interactions
        WHERE \(interaction.openCondition(at: moment)) AND sub = \(subject)
            AND second_factor_due = \(SecondFactorDue.enrolment) AND second_factor IS NULL AND entered_at IS NULL
            AND \(stands)
        """
    }

    /// Ignores the browser's session, because the user chose to sign in to another account.
    func requireReauthentication(in interaction: Interaction, at moment: Timestamp) async throws(PostgresFailure) {
        try await database.query(
            """
            UPDATE interactions SET requires_reauthentication = true WHERE \(interaction.openCondition(at: moment))
            """, in: interaction.team, durability: .relaxed)
    }

    /// A statement that exchanges the proofs for a session: one of two requests gets a row, provided that no factor is
    /// missing.
    ///
    /// Proofs are valid while the credentials behind them are unchanged, the user is not suspended, and the account at
    /// a provider is linked to the user. The user's row is locked first, so that no concurrent change is missed.
    static func taking(proofsOf interaction: Interaction, at moment: Timestamp) -> SQL {
        """
        UPDATE interactions SET entered_at = \(moment), requires_reauthentication = false
        WHERE \(interaction.openCondition(at: moment)) AND first_factor IS NOT NULL AND entered_at IS NULL
            AND (second_factor_due = 'nothing' OR second_factor IS NOT NULL) AND \(stands)
        RETURNING sub
        """
    }

    /// Deletes an interaction whose proofs have become invalid.
    func endUnlinked(_ interaction: Interaction) async throws(PostgresFailure) {
        try await database.query(
            "DELETE FROM interactions WHERE \(interaction.condition) AND entered_at IS NULL AND NOT \(Self.stands)",
            in: interaction.team, durability: .relaxed)
    }

    /// A statement that deletes interactions in which a provider authenticated the user but no session exists yet.
    ///
    /// - Parameter moment: interactions authenticated later remain; nil deletes all.
    public static func deletion(
        of subject: Subject, provedAt provider: ProviderID, until moment: Timestamp? = nil, in team: TeamID
    ) -> SQL {
        """
        DELETE FROM interactions
        WHERE team_id = \(team) AND sub = \(subject) AND first_factor = \(provider.rawValue) AND entered_at IS NULL
            AND (\(moment) IS NULL OR first_factor_at <= \(moment))
        """
    }

    /// Whether the proofs are still valid.
    private static let stands: SQL = """
        (
            first_factor IS NULL OR EXISTS (
                SELECT FROM users AS person
                WHERE person.team_id = interactions.team_id AND person.sub = interactions.sub
                    AND person.suspended_at IS NULL
                    AND person.credentials_version = interactions.credentials_version
            ) AND (first_factor IN ('password', 'passkey', 'mailed_link') OR EXISTS (
                SELECT FROM upstream_identities AS known
                WHERE known.team_id = interactions.team_id AND known.sub = interactions.sub
                    AND known.provider = interactions.first_factor AND known.state = 'authorized'
            ))
        )
        """

    private func change(_ update: SQL, in team: TeamID) async throws(PostgresFailure) -> Interaction? {
        let rows = try await database.query(
            "\(update) RETURNING \(Interaction.columns)", in: team, durability: .relaxed)
        guard var row = rows.first else { return nil }
        return try Interaction(&row, sealer)
    }
}

/// The second factor that a user must still provide.
public enum SecondFactorDue: String, SQLText, Sendable {
    case nothing
    /// One of the user's existing factors.
    case proof
    /// The enrolment of a factor, which the team requires of every user.
    case enrolment
}

/// State of the user's authentication in an interaction.
///
/// It belongs to one interaction, and so to one browser.
public struct InteractionProgress: Sendable {
    /// The first factor: the user, the login name entered, and the proof.
    public struct Identity: Sendable {
        public let subject: Subject
        /// Login name as entered; empty when none was, as with a passkey.
        public let login: String
        public let proof: Proof
        public let due: SecondFactorDue
    }

    public let identity: Identity?
    public let second: Proof?
    /// Time at which the proofs were exchanged for a session.
    public let enteredAt: Timestamp?
    /// Whether the user chose to sign in to another account than that of the browser's session.
    public let requiresReauthentication: Bool

    /// The state before any proof.
    public static let none = InteractionProgress(
        identity: nil, second: nil, enteredAt: nil, requiresReauthentication: false)

    /// The authentication still required before the goal can be reached.
    public enum Status: Sendable {
        /// No user is authenticated.
        case stranger
        /// The first factor is proved, the second is not.
        case owes(SecondFactorDue, Identity)
        /// All factors are proved; the session is not created yet.
        case proved(Identity)
        /// The browser has a session to continue with.
        case settled
    }

    /// The status, computed without side effects: proofs of this interaction take precedence over an earlier session.
    public func status(hasSession: Bool) -> Status {
        if let identity, enteredAt == nil {
            let isProved = identity.due == .nothing || second != nil
            return isProved ? .proved(identity) : .owes(identity.due, identity)
        }
        return hasSession && !requiresReauthentication ? .settled : .stranger
    }
}
