public import Domain

/// What is done for the logs of all teams now and then: sealing, shortening, verifying where it was asked for.
public struct AuditRounds: Sendable {
    private let backlog: AuditBacklogStore
    private let seals: AuditSealStore
    private let retention: AuditRetentionStore
    private let verification: AuditVerificationStore
    private let chains: AuditChainStore
    private let turn: Int

    /// - Parameter turn: how many batches of a team are sealed before it is the next team's turn; some may write as fast as
    ///   they are sealed.
    public init(_ database: TeamDatabase, system: SystemDatabase, keys: SealKeys, turn: Int = 1000) {
        backlog = AuditBacklogStore(system)
        seals = AuditSealStore(database, keys: keys)
        retention = AuditRetentionStore(database, keys: keys)
        verification = AuditVerificationStore(database, keys: keys)
        chains = AuditChainStore(database)
        self.turn = turn
    }

    /// Seals what waits, and tells each team's new head.
    ///
    /// What is left of a team after its turn is sealed in the next round.
    ///
    /// - Throws: the first failure, once every team had its turn.
    public func seal(_ tell: @Sendable (AuditHead) -> Void) async throws {
        try await forEach(try await backlog.teamsToSeal()) { team in
            var head: AuditHead?
            for _ in 0..<turn {
                guard let next = try await seals.seal(in: team) else { break }
                head = next
            }
            if let head { tell(head) }
        }
    }

    /// Deletes what is older than its team keeps it, and the partitions that are empty since.
    ///
    /// A log that somebody has changed is shortened no further: it is verified as a whole, which its page shows then,
    /// and what was found is told each time.
    ///
    /// - Parameter alarm: called with what does not fit.
    /// - Throws: the first failure, once every team had its turn.
    public func shorten(_ alarm: @Sendable (TeamID, [AuditFinding]) -> Void) async throws {
        try await forEach(try await backlog.teamsToShorten()) { team in
            let findings = try await retention.shorten(in: team).findings
            guard !findings.isEmpty else { return }
            alarm(team, findings)
            guard try await chains.find(in: team).findings.isEmpty else { return }
            let report = try await verification.verify(in: team)
            try await chains.note(report, in: team, by: .system("retention"), from: .local)
        }
        try await backlog.dropPartitions()
    }

    /// Verifies the logs whose members asked for it.
    ///
    /// - Throws: the first failure, once every team had its turn.
    public func verify() async throws {
        try await forEach(try await backlog.teamsToVerify()) { team in
            let report = try await verification.verify(in: team)
            try await chains.note(report, in: team, by: .system("verification"), from: .local)
        }
    }

    /// One team's trouble is not the others'.
    private func forEach(_ teams: [TeamID], _ body: (TeamID) async throws -> Void) async throws {
        var failure: (any Error)?
        for team in teams {
            do { try await body(team) } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }
}
