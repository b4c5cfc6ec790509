public import Directory
public import Domain
public import Postgres

// What a person proves on the way. A session is made by the caller, to whom `enter` gives the proofs out.
extension SignInFlow {
    /// Keeps the first proof of who somebody is, and what they owe beside it.
    ///
    /// - Parameter user: as they were read to check the proof.
    /// - Returns: false when the attempt has ended meanwhile, or the person's credentials are others by now.
    public func prove(
        _ user: User,
        by method: ProofMethod,
        login: String,
        owing due: SecondFactorDue,
        in attempt: Attempt,
        browserHash: [UInt8],
        of team: TeamID
    ) async throws(PostgresFailure) -> Bool {
        let identity = AttemptProgress.Identity(
            subject: user.subject,
            login: login,
            proof: Proof(method, at: context.clock()),
            due: due
        )
        let isKept = try await progress.noteFirst(
            identity,
            under: user.credentialsVersion,
            of: holder(attempt, browserHash, team)
        )
        if isKept { note(identity.proof, of: user.subject, in: attempt, team) }
        return isKept
    }

    /// Keeps the second proof of the person who gave the first.
    ///
    /// - Returns: false when the attempt has ended meanwhile, is another person's by now, or the person's credentials
    ///   have changed since the first proof.
    public func proveAgain(
        _ subject: Subject,
        by method: ProofMethod,
        in attempt: Attempt,
        browserHash: [UInt8],
        of team: TeamID
    ) async throws(PostgresFailure) -> Bool {
        let proof = Proof(method, at: context.clock())
        let isKept = try await progress.noteSecond(proof, of: subject, holder(attempt, browserHash, team))
        if isKept { note(proof, of: subject, in: attempt, team) }
        return isKept
    }

    /// What somebody adds the factor by that the attempt wants.
    public func enrolmentRight(
        of subject: Subject,
        in attempt: Attempt,
        browserHash: [UInt8],
        of team: TeamID
    ) -> EnrolmentRight {
        let holder = holder(attempt, browserHash, team)
        return EnrolmentRight(whileFound: AttemptProgressStore.owingEnrolment(of: subject, holder))
    }

    /// Makes a session of the proofs of an attempt.
    ///
    /// - Parameter begin: takes the proofs and begins the session, in one transaction; nil where they are not given out.
    /// - Returns: nil when another request was faster, or something is owed; an attempt whose person has parted from the
    ///   account at the provider is over then.
    public func enter<Session>(
        _ attempt: Attempt,
        browserHash: [UInt8],
        of team: TeamID,
        beginning begin: (SessionStore.Proofs) async throws -> Session?
    ) async throws -> Session? {
        let holder = holder(attempt, browserHash, team)
        let proofs = SessionStore.Proofs(takenBy: AttemptProgressStore.taking(holder))
        if let session = try await begin(proofs) { return session }
        try await progress.endParted(holder)
        return nil
    }

    /// Lets the person sign in as somebody else than the session's.
    public func setSessionAside(
        in attempt: Attempt,
        browserHash: [UInt8],
        of team: TeamID
    ) async throws(PostgresFailure) {
        _ = try await progress.setSessionAside(holder(attempt, browserHash, team))
    }

    private func note(_ proof: Proof, of subject: Subject, in attempt: Attempt, _ team: TeamID) {
        let fact = FlowFact("proof", proof.method.rawValue)
        let step = FlowStep(.proved, at: proof.at, from: .local, sent: [fact])
        flows.record(step, of: attempt, in: team, by: subject)
    }

    private func holder(_ attempt: Attempt, _ browserHash: [UInt8], _ team: TeamID)
        -> AttemptProgressStore.Holder
    {
        AttemptProgressStore.Holder(
            id: attempt.id,
            browserHash: browserHash,
            team: team,
            moment: context.clock()
        )
    }
}
