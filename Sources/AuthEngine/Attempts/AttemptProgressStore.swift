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
    ///
    /// - Parameter version: of the person's credentials, as they were read to check the proof.
    func noteFirst(
        _ identity: AttemptProgress.Identity,
        under version: Int,
        of holder: Holder
    ) async throws(PostgresFailure) -> Bool {
        try await change(
            """
            UPDATE attempts
            SET sub = \(identity.subject), login = \(identity.login), first_factor = \(identity.proof.method),
                first_factor_at = \(identity.proof.at), second_factor_due = \(identity.due),
                second_factor = NULL, second_factor_at = NULL, entered_at = NULL, credentials_version = \(version)
            WHERE \(holder.condition) AND EXISTS (
                SELECT FROM users
                WHERE team_id = \(holder.team) AND sub = \(identity.subject) AND suspended_at IS NULL
                    AND credentials_version = \(version)
            )
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
                AND \(Self.stands)
            """,
            in: holder.team
        )
    }

    /// Yields a row while an attempt owes a factor that its person is to set up; the person is locked.
    static func owingEnrolment(of subject: Subject, _ holder: Holder) -> SQL {
        """
        SELECT FROM attempts
        WHERE \(holder.condition) AND sub = \(subject) AND second_factor_due = \(SecondFactorDue.enrolment)
            AND second_factor IS NULL AND entered_at IS NULL AND \(stands)
        """
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
    /// Proofs count while what gave them is unchanged, the person is not suspended, and the account at a provider leads
    /// to them. The person is locked before, so that no change of theirs is overlooked.
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
    ///
    /// - Parameter moment: those that were proved later stay; nil ends all.
    static func deletion(
        of subject: Subject,
        provedAt provider: ProviderID,
        until moment: Timestamp? = nil,
        in team: TeamID
    ) -> SQL {
        """
        DELETE FROM attempts
        WHERE team_id = \(team) AND sub = \(subject) AND first_factor = \(provider.rawValue) AND entered_at IS NULL
            AND (\(moment) IS NULL OR first_factor_at <= \(moment))
        """
    }

    /// A row of the previous release has no version.
    private static let stands: SQL = """
        (
            first_factor IS NULL OR EXISTS (
                SELECT FROM users AS person
                WHERE person.team_id = attempts.team_id AND person.sub = attempts.sub
                    AND person.suspended_at IS NULL
                    AND person.credentials_version
                        = coalesce(attempts.credentials_version, person.credentials_version)
            ) AND (first_factor IN ('password', 'passkey', 'mailed_link') OR EXISTS (
                SELECT FROM provider_identities AS known
                WHERE known.team_id = attempts.team_id AND known.sub = attempts.sub
                    AND known.provider = attempts.first_factor AND known.state = 'authorized'
            ))
        )
        """

    private func change(_ statement: SQL, in team: TeamID) async throws(PostgresFailure) -> Bool {
        try await database.queryRelaxed(statement, in: team).changed == 1
    }
}
