public import Directory
public import Platform
public import Postgres

// The proofs of a user during an interaction. The caller creates the session, from the proofs that `enter` hands over.
extension Interactions {
    /// Stores the first proof of a user, and the second factor still required.
    ///
    /// - Parameter user: the user as read when the proof was checked.
    /// - Returns: false when the interaction has ended, or the user's credentials have changed since.
    public func prove(
        _ user: User, by method: ProofMethod, login: String, owing due: SecondFactorDue, in interaction: Interaction,
        browserHash: [UInt8], of team: TeamID
    ) async throws(PostgresFailure) -> Bool {
        let identity = InteractionProgress.Identity(
            subject: user.subject, login: login, proof: Proof(method, at: server.clock()), due: due)
        let isKept = try await progress.noteFirst(
            identity, under: user.credentialsVersion, of: holder(interaction, browserHash, team))
        if isKept { note(identity.proof, of: user.subject, in: interaction, team) }
        return isKept
    }

    /// Stores the second proof of the user who gave the first.
    ///
    /// - Returns: false when the interaction has ended, belongs to another user meanwhile, or the user's credentials
    ///   have changed since the first proof.
    public func proveAgain(
        _ subject: Subject, by method: ProofMethod, in interaction: Interaction, browserHash: [UInt8], of team: TeamID
    ) async throws(PostgresFailure) -> Bool {
        let proof = Proof(method, at: server.clock())
        let isKept = try await progress.noteSecond(proof, of: subject, holder(interaction, browserHash, team))
        if isKept { note(proof, of: subject, in: interaction, team) }
        return isKept
    }

    /// The right to enrol the factor that the interaction requires.
    public func enrolmentRight(of subject: Subject, in interaction: Interaction, browserHash: [UInt8], of team: TeamID)
        -> EnrolmentRight
    {
        let holder = holder(interaction, browserHash, team)
        return EnrolmentRight(whileFound: InteractionProgressStore.owingEnrolment(of: subject, holder))
    }

    /// Exchanges the proofs of an interaction for a session.
    ///
    /// - Parameter begin: takes the proofs and creates the session in one transaction; nil when there are none to take.
    /// - Returns: nil when another request was first, or a factor is missing; an interaction whose user has unlinked
    ///   the account at the provider is then deleted.
    public func enter<Session>(
        _ interaction: Interaction, browserHash: [UInt8], of team: TeamID,
        beginning begin: (SessionStore.Proofs) async throws -> Session?
    ) async throws -> Session? {
        let holder = holder(interaction, browserHash, team)
        let proofs = SessionStore.Proofs(takenBy: InteractionProgressStore.taking(holder))
        if let session = try await begin(proofs) { return session }
        try await progress.endParted(holder)
        return nil
    }

    /// Lets the user sign in to another account than that of the browser's session.
    public func requireReauthentication(in interaction: Interaction, browserHash: [UInt8], of team: TeamID)
        async throws(PostgresFailure)
    { _ = try await progress.requireReauthentication(holder(interaction, browserHash, team)) }

    private func note(_ proof: Proof, of subject: Subject, in interaction: Interaction, _ team: TeamID) {
        let fact = TraceAttribute("proof", proof.method.rawValue)
        let step = TraceEvent(.proved, at: proof.at, from: .local, sent: [fact])
        traces.record(step, of: interaction, in: team, by: subject)
    }

    private func holder(_ interaction: Interaction, _ browserHash: [UInt8], _ team: TeamID)
        -> InteractionProgressStore.Holder
    {
        InteractionProgressStore.Holder(
            id: interaction.id, browserHash: browserHash, team: team, moment: server.clock())
    }
}
