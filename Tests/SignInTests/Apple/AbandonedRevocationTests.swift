import Core
import EventLoop
import Platform
import Testing

@testable import TestTeams

/// A revocation whose job ended without a word of Apple's is told, and can be tried again.
@Suite(.apple) struct `A revocation that was given up` {
    private static let problems = "SELECT state, problem FROM upstream_tokens"

    private func job() throws -> JobID {
        let id = try site.admin("SELECT job_id FROM jobs WHERE kind = 'upstream.revocation'").first?[0]
        return try #require(id.flatMap(JobID.init(rawValue:)))
    }

    private func operate(_ body: @escaping @Sendable (JobStore, JobID) async throws -> Bool) async throws {
        let (jobs, id, loop) = (JobStore(site.teams.database), try job(), site.teams.loop)
        let isDone = try await loop.run { try await body(jobs, id) }
        #expect(isDone)
    }

    @Test func `by an operator is listed, and the receipt says so`() async throws {
        _ = try site.tokens()
        let answer = try site.client("delete-account", ["sub": `Revocation at Apple`.rita])
        try await operate { jobs, id in
            try await jobs.cancel(id, in: .acme, because: "Apple is away", by: .system("test"), from: .local)
        }

        try await site.withProcess { try await $0.validate() }

        #expect(try site.admin(Self.problems) == [["refused", "abandoned"]])
        #expect(try site.receipts() == ["upstream_token.not_revoked"])
        let receipt = try #require(answer.json["receipt"]?.string)
        let json = try site.ask("GET", "/t/ACMETEAM01/auth/receipts/\(receipt)").json
        #expect(json["status"] == "done")
    }

    @Test func `since no attempt came to its end is listed, and tried when the job is`() async throws {
        _ = try site.client("revoke", ["token": try site.tokens()])
        try site.admin("UPDATE jobs SET attempts = 20 WHERE kind = 'upstream.revocation'")
        try await site.withProcess { process in
            try await process.validate()
            try await site.wait { try site.admin("SELECT FROM jobs WHERE state = 'dead'").count == 1 }
            try await process.validate()
            #expect(try site.admin(Self.problems) == [["refused", "abandoned"]])

            try await operate { jobs, id in try await jobs.retry(id, in: .acme, by: .system("test"), from: .local) }
            try await site.wait { try site.tokenStates() == ["revoked"] }
        }
        #expect(try site.receipts() == ["upstream_token.not_revoked", "upstream_token.revoked"])
    }

    @Test func `is none while its job waits`() async throws {
        _ = try site.client("revoke", ["token": try site.tokens()])
        try site.admin("UPDATE jobs SET due_at = now() + interval '1 hour'")
        try await site.withProcess { try await $0.validate() }
        #expect(try site.tokenStates() == ["ending"])
    }
}
