/// Periodic work on the logs of all teams: sealing, retention, requested verifications.
public struct AuditRounds: Sendable {
    private let backlog: AuditBacklogStore
    private let seals: AuditSealStore
    private let retention: AuditRetentionStore
    private let verification: AuditVerificationStore
    private let chains: AuditChainStore
    private let turn: Int

    /// - Parameter turn: number of batches sealed of a team before the next team's turn, because a team may write as
    ///   fast as its events are sealed.
    public init(_ database: TeamDatabase, system: SystemDatabase, keys: SealKeys, turn: Int = 1000) {
        backlog = AuditBacklogStore(system)
        seals = AuditSealStore(database, keys: keys)
        retention = AuditRetentionStore(database, keys: keys)
        verification = AuditVerificationStore(database, keys: keys)
        chains = AuditChainStore(database)
        self.turn = turn
    }

    /// Seals new events of all teams and reports each team's new head.
    ///
    /// Events that are left after a team's turn are sealed in the next round.
    ///
    /// - Throws: the first failure, after all teams were processed.
    public func seal(_ tell: @Sendable (AuditHead) -> Void) async throws {
        try await backlog.teamsToSeal().forEachTeam { team in
            var head: AuditHead?
            for _ in 0..<turn {
                guard let next = try await seals.seal(in: team) else { break }
                head = next
            }
            if let head { tell(head) }
        }
    }

    /// Deletes events past their team's retention period, and the partitions that are empty since.
    ///
    /// In a changed log nothing more is deleted: the log is verified as a whole, so that its page shows the findings,
    /// and the findings are reported in every round.
    ///
    /// - Parameters:
    ///   - tell: called with the deletions of a team, so that the server's log has them, too.
    ///   - alarm: called with the findings of a team.
    /// - Throws: the first failure, after all teams were processed.
    public func applyRetention(
        telling tell: @Sendable (TeamID, AuditRetentionStore.Outcome) -> Void = { _, _ in },
        _ alarm: @Sendable (TeamID, [AuditFinding]) -> Void
    ) async throws {
        try await backlog.teamsBeyondRetention().forEachTeam { team in
            let outcome = try await retention.applyRetention(in: team)
            if outcome.removed > 0 { tell(team, outcome) }
            let findings = outcome.findings
            guard !findings.isEmpty else { return }
            alarm(team, findings)
            guard try await chains.find(in: team).findings.isEmpty else { return }
            let report = try await verification.verify(in: team)
            try await chains.note(report, in: team, by: .system("retention"), from: .local)
        }
        try await backlog.dropPartitions()
    }

    /// Verifies the logs of all teams, for a job that does so daily.
    ///
    /// One that was verified within an hour is left out, so that a round that broke off goes on where it was.
    ///
    /// - Parameter alarm: called with the findings of a team.
    /// - Throws: the first failure, such as `BrokenAuditLog`, after all teams were processed.
    public func verifyAll(_ alarm: @Sendable (TeamID, [AuditFinding]) -> Void) async throws {
        try await backlog.teamsUnverified().forEachTeam { team in
            let report = try await verification.verify(in: team)
            try await chains.note(report, in: team, by: .system("verification"), from: .local, isRoutine: true)
            guard !report.findings.isEmpty else { return }
            alarm(team, report.findings)
            throw BrokenAuditLog(team: team)
        }
    }

    /// Verifies the logs with a requested verification.
    ///
    /// - Throws: the first failure, after all teams were processed.
    public func verify() async throws {
        try await backlog.teamsToVerify().forEachTeam { team in
            let report = try await verification.verify(in: team)
            try await chains.note(report, in: team, by: .system("verification"), from: .local)
        }
    }
}

/// A verification found that a team's log is not whole.
public struct BrokenAuditLog: Error, CustomStringConvertible {
    public let team: TeamID

    public var description: String { "the audit log of team \(team) is not whole" }
}
