import EventLoop

extension Database {
    /// Runs one statement, committed when this returns, in one transaction with others that come meanwhile.
    ///
    /// For short statements of the hot path that change a row or two found by key and do not fail by themselves.
    /// They may be run a second time after the first was rolled back, so their outcome must not depend on how
    /// often they are tried.
    ///
    /// - Parameter row: tells the row it locks from others; empty where it locks none.
    public func queryJointly(
        _ sql: SQL,
        locking row: [UInt8],
        setting: Setting
    ) async throws(PostgresFailure) -> Rows {
        try await queryJointly([sql], locking: row, setting: setting)
    }

    /// Runs statements one after the other in the same way; none is committed without the others.
    ///
    /// - Returns: the rows of the last one.
    public func queryJointly(
        _ sql: [SQL],
        locking row: [UInt8],
        setting: Setting
    ) async throws(PostgresFailure) -> Rows {
        loop.preconditionCurrent()
        statementCount += sql.count
        let deadline = MonotonicTime.now() + configuration.patience.nanoseconds
        let outcome = await unsafe withUnsafeContinuation {
            (continuation: UnsafeContinuation<Segment.Outcome, Never>) in
            let completion: (Segment.Outcome) -> Void = { unsafe continuation.resume(returning: $0) }
            let join = { [unowned self] (completion: @escaping (Segment.Outcome) -> Void) in
                self.join(JointCommits.Member(statements: sql, row: row, setting, deadline, completion))
            }
            guard let locked = sql.first?.row ?? (row.isEmpty ? nil : LockedRow(row, under: setting)) else {
                return join(completion)
            }
            // Who had to wait for the row goes alone: others are wanting it, and with it the segment would wait.
            let isAlone = rows.isTaken(locked)
            take(locked, until: deadline, completion) { [unowned self] completion in
                guard isAlone else { return join(completion) }
                submit([setting.statement] + sql, for: setting.owner, deadline, completion)
            }
        }
        return try outcome.answer()
    }

    private func join(_ member: JointCommits.Member) {
        guard joint.waiting.count < configuration.queue, !isClosing else {
            return member.completion(.failure(.overloaded))
        }
        if absence.isLong { return member.completion(.failure(.unavailable(problem))) }
        joint.waiting.append(member)
        sendJointly()
    }

    /// Sends what has gathered, while few enough segments are under way: under load each carries many statements.
    func sendJointly() {
        while joint.segments < configuration.jointSegments, !joint.waiting.isEmpty, let free = leastLoaded() {
            let members = joint.gather()
            let deadline = members[0].deadline
            free.send(JointCommits.statements(of: members), deadline: deadline) { [unowned self] outcome in
                joint.segments -= 1
                JointCommits.deliver(outcome, to: members) { [unowned self] member in
                    submit(
                        [member.setting.statement] + member.statements,
                        for: member.setting.owner,
                        member.deadline,
                        member.completion
                    )
                }
            }
        }
    }
}
