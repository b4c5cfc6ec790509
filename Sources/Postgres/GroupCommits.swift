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

        init(
            statements: [SQL], row: [UInt8], _ setting: Setting, _ deadline: Int64,
            _ completion: @escaping (Segment.Outcome) -> Void
        ) {
            self.statements = statements
            self.row = row
            self.setting = setting
            self.deadline = deadline
            self.completion = completion
        }
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
