import Core
import Postgres

/// Reads the payload of a claimed job and ends the attempt, as the job's team and only while the claim is valid.
struct JobEndStore: Sendable {
    private let database: TeamDatabase

    init(_ database: TeamDatabase) { self.database = database }

    /// Returns the payload as JSON, or nil when the claim is no longer valid.
    func payload(of claim: JobClaim) async throws(PostgresFailure) -> [UInt8]? {
        let rows = try await database.query("SELECT payload::text FROM jobs WHERE \(claim.holds)", in: claim.team)
        guard var row = rows.first else { return nil }
        return Array(try row.next(String.self).utf8)
    }

    /// Ends the attempt; returns false when the claim is no longer valid.
    ///
    /// - Parameters:
    ///   - duration: how long the attempt took.
    ///   - spread: see `JobPolicy.delay`.
    func end(
        _ claim: JobClaim, _ outcome: JobOutcome, _ handler: JobHandlers.Handler, after duration: Duration,
        spread: Double
    ) async throws(PostgresFailure) -> Bool {
        let policy = handler.policy
        let sql: SQL
        if let interval = handler.interval {
            sql = claim.next(outcome.problem, every: interval, after: duration)
        } else if let problem = outcome.problem {
            sql =
                outcome.isDeath(at: claim.attempt, policy)
                ? claim.death(problem, policy)
                : claim.delay(outcome.delay(after: claim.attempt, policy, spread: spread), problem)
        } else if case .succeeded(let result) = outcome {
            sql = claim.success(result, policy)
        } else if case .postponed(let wait) = outcome {
            sql = claim.postponement(wait)
        } else {
            return true
        }
        return try await database.groupCommit(sql, locking: Array(claim.id.rawValue.utf8), in: claim.team).changed == 1
    }
}

extension JobClaim {
    /// The condition that the claim is still valid.
    fileprivate var holds: SQL {
        """
        team_id = \(team) AND job_id = \(id) AND state = 'pending' AND worker = \(worker)
        AND attempts = \(attempt)
        """
    }

    /// The statement that records success; it clears the payload, which a receipt does not need.
    func success(_ result: JSONValue?, _ policy: JobPolicy) -> SQL {
        let json = result.map { String(decoding: JSON.encode($0), as: UTF8.self) }
        return """
            UPDATE jobs
            SET state = 'succeeded', worker = NULL, payload = '{}', problem = NULL, result = \(json)::jsonb,
                finished_at = clock_timestamp(), keep_until = clock_timestamp() + \(policy.keepsReceipt.interval)
            WHERE \(holds)
            """
    }

    fileprivate func death(_ problem: String, _ policy: JobPolicy) -> SQL {
        """
        UPDATE jobs
        SET state = 'dead', worker = NULL, problem = \(Self.stored(problem)),
            finished_at = clock_timestamp(), keep_until = clock_timestamp() + \(policy.keepsDead.interval)
        WHERE \(holds)
        """
    }

    fileprivate func delay(_ delay: Duration, _ problem: String) -> SQL {
        """
        UPDATE jobs
        SET due_at = clock_timestamp() + \(delay.interval), worker = NULL, problem = \(Self.stored(problem))
        WHERE \(holds)
        """
    }

    /// The statement that makes a recurring job due again.
    fileprivate func next(_ problem: String?, every interval: Duration, after duration: Duration) -> SQL {
        """
        UPDATE jobs
        SET due_at = clock_timestamp() + \(max(.zero, interval - duration).interval), worker = NULL, attempts = 0,
            problem = \(problem.map(Self.stored)), ran_at = clock_timestamp(),
            ran_milliseconds = \(Int(duration / .milliseconds(1)))
        WHERE \(holds)
        """
    }

    fileprivate func postponement(_ wait: Duration) -> SQL {
        """
        UPDATE jobs SET due_at = clock_timestamp() + \(wait.interval), worker = NULL, attempts = attempts - 1
        WHERE \(holds)
        """
    }

    /// Shortens a problem and removes NUL, because a remote server's text may be long and PostgreSQL stores no NUL.
    private static func stored(_ problem: String) -> String { problem.cut(toOctets: 1000).withoutNUL }
}
