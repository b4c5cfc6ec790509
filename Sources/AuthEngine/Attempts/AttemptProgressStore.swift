import Bytes
import Directory
import Domain
import Postgres

/// Notes what a person proves in the course of an attempt.
///
/// Every statement names the browser too, and answers false when its attempt has ended or is further along.
struct AttemptProgressStore: Sendable {
    let database: TeamDatabase

    /// Which attempt, of which browser.
    struct Holder: Sendable {
        let id: AttemptID
        let browserHash: [UInt8]
        let team: TeamID
        let moment: Timestamp

        var condition: SQL {
            """
            team_id = \(team) AND \(id.slot.condition) AND attempt_id = \(id)
                AND browser_hash = \(browserHash) AND created_at > \(moment - Attempt.lifetime)
            """
        }
    }

    /// Keeps the first proof; all that was proved in the attempt before is worth nothing any more.
    func noteFirst(
        _ identity: AttemptProgress.Identity,
        of holder: Holder
    ) async throws(PostgresFailure) -> Bool {
        try await change(
            """
            UPDATE attempts
            SET sub = \(identity.subject), login = \(identity.login), first_factor = \(identity.proof.method),
                first_factor_at = \(identity.proof.at), second_factor_due = \(identity.due),
                second_factor = NULL, second_factor_at = NULL, entered_at = NULL
            WHERE \(holder.condition)
            """,
            in: holder.team
        )
    }

    /// Keeps the second proof of the person who gave the first.
    func noteSecond(
        _ proof: Proof,
        of subject: Subject,
        _ holder: Holder
    ) async throws(PostgresFailure) -> Bool {
        try await change(
            """
            UPDATE attempts SET second_factor = \(proof.method), second_factor_at = \(proof.at)
            WHERE \(holder.condition) AND sub = \(subject) AND second_factor IS NULL AND entered_at IS NULL
            """,
            in: holder.team
        )
    }

    /// Sets the browser's session aside: the person wants to sign in as somebody else.
    func setSessionAside(_ holder: Holder) async throws(PostgresFailure) -> Bool {
        try await change(
            "UPDATE attempts SET sets_session_aside = true WHERE \(holder.condition)",
            in: holder.team
        )
    }

    /// Takes the proofs to make a session of, and yields a row: of two requests one gets them, and only when none is owed.
    ///
    /// What was proved at a provider counts while the account there leads to the person.
    static func taking(_ holder: Holder) -> SQL {
        """
        UPDATE attempts SET entered_at = \(holder.moment), sets_session_aside = false
        WHERE \(holder.condition) AND first_factor IS NOT NULL AND entered_at IS NULL
            AND (second_factor_due = 'nothing' OR second_factor IS NOT NULL) AND \(stands)
        RETURNING sub
        """
    }

    /// Ends an attempt whose proof nobody can take any more.
    func endParted(_ holder: Holder) async throws(PostgresFailure) {
        try await database.queryRelaxed(
            "DELETE FROM attempts WHERE \(holder.condition) AND entered_at IS NULL AND NOT \(Self.stands)",
            in: holder.team
        )
    }

    /// Ends sign-ins under way in which the person was proved at a provider, and has not come in yet.
    static func deletion(of subject: Subject, provedAt provider: ProviderID, in team: TeamID) -> SQL {
        """
        DELETE FROM attempts
        WHERE team_id = \(team) AND sub = \(subject) AND first_factor = \(provider.rawValue) AND entered_at IS NULL
        """
    }

    private static let stands: SQL = """
        (
            first_factor IS NULL OR first_factor IN ('password', 'passkey') OR EXISTS (
                SELECT FROM provider_identities AS known
                WHERE known.team_id = attempts.team_id AND known.sub = attempts.sub
                    AND known.provider = attempts.first_factor AND known.state = 'authorized'
            )
        )
        """

    private func change(_ statement: SQL, in team: TeamID) async throws(PostgresFailure) -> Bool {
        try await database.queryRelaxed(statement, in: team).changed == 1
    }
}
