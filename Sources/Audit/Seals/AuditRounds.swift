public import Domain

/// What is done for the logs of all teams now and then: sealing, shortening, verifying where it was asked for.
public struct AuditRounds: Sendable {
    private let backlog: AuditBacklogStore
    private let seals: AuditSealStore
    private let retention: AuditRetentionStore
    private let verification: AuditVerificationStore
    private let chains: AuditChainStore

    public init(_ database: TeamDatabase, system: SystemDatabase, keys: SealKeys) {
        backlog = AuditBacklogStore(system)
        seals = AuditSealStore(database, keys: keys)
        retention = AuditRetentionStore(database, keys: keys)
        verification = AuditVerificationStore(database, keys: keys)
        chains = AuditChainStore(database)
    }

    /// Seals everything that waits, and tells each team's new head.
    ///
    /// - Throws: the first failure, once every team had its turn.
    public func seal(_ tell: @Sendable (AuditHead) -> Void) async throws {
        try await forEach(try await backlog.teamsToSeal()) { team in
            var head: AuditHead?
            while let next = try await seals.seal(in: team) { head = next }
            if let head { tell(head) }
        }
    }

    /// Deletes what is older than its team keeps it, and the partitions that are empty since.
    ///
    /// - Throws: the first failure, once every team had its turn.
    public func shorten() async throws {
        try await forEach(try await backlog.teamsToShorten()) { try await retention.shorten(in: $0) }
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
