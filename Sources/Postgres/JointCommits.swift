import EventLoop

/// Statements that are committed together: PostgreSQL pays for a commit by the commit, not by the statement, and
/// waits for the disk at each.
///
/// Nobody waits for company: a statement that finds room goes at once, and those that come while it is under way
/// are the next segment. They share one fate, so a segment that fails is taken apart, and each member runs again in a
/// transaction of its own.
struct JointCommits {
    /// Statements that follow one another, and whoever waits for the last one's rows.
    struct Member {
        let statements: [SQL]
        /// The row it locks, by whatever tells rows apart.
        let row: [UInt8]
        let setting: Setting
        let deadline: Int64
        let completion: (Segment.Outcome) -> Void

        init(
            statements: [SQL],
            row: [UInt8],
            _ setting: Setting,
            _ deadline: Int64,
            _ completion: @escaping (Segment.Outcome) -> Void
        ) {
            self.statements = statements
            self.row = row
            self.setting = setting
            self.deadline = deadline
            self.completion = completion
        }
    }

    /// Statements in one segment.
    private static let capacity = 64

    var waiting = Queue<Member>()
    /// Segments under way.
    var segments = 0

    /// Takes the members of the next segment, in the order of their rows: two segments that lock the same ones do so
    /// one after the other.
    mutating func gather() -> [Member] {
        segments += 1
        var members: [Member] = []
        while members.count < Self.capacity, let member = waiting.popFirst() { members.append(member) }
        members.sort { $0.row.lexicographicallyPrecedes($1.row) }
        return members
    }

    /// What a segment sends: each statement under its setting, which the one before may have left in force.
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

    /// Gives each member its answer, or hands it to `retry` when a neighbour may have spoilt the segment.
    static func deliver(_ outcome: Segment.Outcome, to members: [Member], retry: (Member) -> Void) {
        switch outcome {
        case .success(let rows): deliver(rows, to: members)
        case .failure(.refused) where members.count > 1, .failure(.timedOut) where members.count > 1:
            for member in members { retry(member) }
        case .failure(let failure) where failure.isWaitForLock:
            for member in members { retry(member) }
        case .failure(let failure):
            for member in members { member.completion(.failure(failure)) }
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
