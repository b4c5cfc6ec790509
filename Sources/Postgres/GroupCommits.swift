import EventLoop

/// Group commit: statements of several callers in one transaction.
///
/// PostgreSQL waits for the disk at each commit, not at each statement. No statement is delayed to form a group: it is
/// sent at once if there is room, and the statements that arrive meanwhile form the next segment. A failure rolls back
/// the whole segment, so each of its members runs again in its own transaction.
struct GroupCommits {
    /// Statements of one caller in order, with the completion that receives their rows.
    struct Member {
        let statements: [SQL]
        /// Key of the row that the statements lock.
        let row: [UInt8]
        let setting: Setting
        let deadline: Int64
        let completion: (Segment.Outcome) -> Void
    }

    /// Maximum number of members in one segment.
    private static let capacity = 64

    var waiting = Queue<Member>()
    /// Segments in progress.
    var segments = 0

    /// Removes the next segment's members from the queue, sorted by row: segments lock rows in the same order.
    mutating func gather() -> [Member] {
        segments += 1
        var members: [Member] = []
        while members.count < Self.capacity, let member = waiting.popFirst() { members.append(member) }
        members.sort { $0.row.lexicographicallyPrecedes($1.row) }
        return members
    }

    /// Statements of a segment: each member's setting, unless it is still in force, then the member's statements.
    static func statements(of members: [Member]) -> [SQL] {
        var statements: [SQL] = []
        var setting: Setting?
        for member in members {
            if member.setting != setting { statements.append(member.setting.statement) }
            setting = member.setting
            statements += member.statements
        }
        return statements
    }

    /// Completes each member with its rows, or passes it to `retry` if another member may have failed the segment.
    static func deliver(_ outcome: Segment.Outcome, to members: [Member], retry: (Member) -> Void) {
        switch outcome {
        case .success(let rows): deliver(rows, to: members)
        case .failure(.refused) where members.count > 1, .failure(.timedOut) where members.count > 1:
            for member in members { retry(member) }
        case .failure(let failure) where failure.isWaitForLock: for member in members { retry(member) }
        case .failure(let failure): for member in members { member.completion(.failure(failure)) }
        }
    }

    private static func deliver(_ rows: [Rows], to members: [Member]) {
        var rows = rows[...]
        var setting: Setting?
        for member in members {
            rows = rows.dropFirst(member.setting != setting ? 1 : 0)
            setting = member.setting
            member.completion(.success([Rows](rows.prefix(member.statements.count))))
            rows = rows.dropFirst(member.statements.count)
        }
    }
}

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
                self.join(
                    GroupCommits.Member(
                        statements: sql, row: row, setting: setting, deadline: deadline, completion: completion))
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
        while joint.segments < configuration.groupCommitSegments, !joint.waiting.isEmpty, let free = shared.leastLoaded
        {
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
