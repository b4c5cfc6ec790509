import EventLoop

extension Database {
    /// Runs one statement in a transaction shared with concurrent statements, committed when this returns.
    ///
    /// For short statements of the hot path that change one or two rows found by key and are not expected to fail. A
    /// statement may run again after a rollback, so its outcome must not depend on how often it runs.
    ///
    /// - Parameter row: key of the row that the statement locks; empty if it locks none.
    public func groupCommit(_ sql: SQL, locking row: [UInt8], setting: Setting) async throws(PostgresFailure) -> Rows {
        try await groupCommit([sql], locking: row, setting: setting)
    }

    /// Runs statements in order in a transaction shared with concurrent ones; all are committed or none.
    ///
    /// - Returns: the rows of the last statement.
    public func groupCommit(_ sql: [SQL], locking row: [UInt8], setting: Setting) async throws(PostgresFailure) -> Rows
    {
        loop.preconditionCurrent()
        statementCount += sql.count
        let deadline = MonotonicTime.now() + configuration.timeout.nanoseconds
        let outcome = await unsafe withUnsafeContinuation {
            (continuation: UnsafeContinuation<Segment.Outcome, Never>) in
            let completion: (Segment.Outcome) -> Void = { unsafe continuation.resume(returning: $0) }
            let join = { [unowned self] (completion: @escaping (Segment.Outcome) -> Void) in
                self.join(GroupCommits.Member(statements: sql, row: row, setting, deadline, completion))
            }
            guard let locked = sql.first?.row ?? (row.isEmpty ? nil : LockedRow(row, under: setting)) else {
                return join(completion)
            }
            // A statement whose row is in use is sent alone: others want the row too, and a segment would wait with it.
            let isAlone = rows.isTaken(locked)
            take(locked, until: deadline, completion) { [unowned self] completion in
                guard isAlone else { return join(completion) }
                submit([setting.statement] + sql, for: setting.owner, deadline, completion)
            }
        }
        return try outcome.answer()
    }

    private func join(_ member: GroupCommits.Member) {
        guard joint.waiting.count < configuration.queue, !isClosing else {
            return member.completion(.failure(.overloaded))
        }
        if outage.isLong { return member.completion(.failure(.unavailable(problem))) }
        joint.waiting.append(member)
        sendGroupCommit()
    }

    /// Sends waiting statements while fewer segments than the limit are in progress: under load each carries many.
    func sendGroupCommit() {
        while joint.segments < configuration.groupCommitSegments, !joint.waiting.isEmpty, let free = leastLoaded() {
            let members = joint.gather()
            let deadline = members[0].deadline
            free.send(GroupCommits.statements(of: members), deadline: deadline) { [unowned self] outcome in
                joint.segments -= 1
                GroupCommits.deliver(outcome, to: members) { [unowned self] member in
                    submit(
                        [member.setting.statement] + member.statements, for: member.setting.owner, member.deadline,
                        member.completion)
                }
            }
        }
    }
}
