import Core
import EventLoop
import Postgres
import TestSupport
import Testing

@testable import Platform

@Suite struct `The queue of jobs` {
    @Test func `does a job with what it carries, once`() async throws {
        try await withJobEnvironment { environment in
            let diary = Notes()
            let job = try await environment.greet()

            let worker = try await environment.work(until: "succeeded", of: job) { greeting, run in
                diary.note("\(greeting.name) of \(run.team), attempt \(run.claim.attempt)")
                return .succeeded(["said": "hello"])
            }

            #expect(diary.all == ["Ada of ACMETEAM01, attempt 1"])
            let row = try environment.admin("SELECT payload::text, result::text, worker FROM jobs")
            #expect(row == [["{}", #"{"said": "hello"}"#, nil]])
            #expect(worker.counts.succeeded == 1)
        }
    }

    @Test func `keeps a job of a transaction that commits, and only then`() async throws {
        struct Regret: Error {}
        try await withJobEnvironment { environment in
            let queue = environment.queue()
            let (kept, dropped) = (NewJob(Greeting(name: "Ada")), NewJob(Greeting(name: "Ben")))

            try await environment.database.transaction(in: .acme) { transaction in
                _ = try await queue.enqueue(kept, in: .acme, transaction)
            }
            await #expect(throws: Regret.self) {
                try await environment.database.transaction(in: .acme) { transaction in
                    _ = try await queue.enqueue(dropped, in: .acme, transaction)
                    throw Regret()
                }
            }

            #expect(try environment.state(of: kept) == "pending")
            #expect(try environment.state(of: dropped) == nil)
        }
    }

    @Test func `takes one job of a key, in each team`() async throws {
        try await withJobEnvironment { environment in
            let queue = environment.queue()

            let first = try await queue.enqueue(NewJob(Greeting(name: "Ada"), once: "ada"), in: .acme)
            let again = try await queue.enqueue(NewJob(Greeting(name: "Ada"), once: "ada"), in: .acme)
            let other = try await queue.enqueue(NewJob(Greeting(name: "Ada"), once: "ada"), in: .rival)

            #expect([first, again, other] == [true, false, true])
        }
    }

    @Test func `enqueues with a statement of another when its condition holds`() async throws {
        try await withJobEnvironment { environment in
            let (done, left) = (NewJob(Greeting(name: "Ada")), NewJob(Greeting(name: "Ben")))

            try await environment.database.query(done.insertion(in: .acme, when: "WHERE true"), in: .acme)
            try await environment.database.query(left.insertion(in: .acme, when: "WHERE false"), in: .acme)

            #expect(try environment.state(of: done) == "pending")
            #expect(try environment.state(of: left) == nil)
        }
    }

    @Test func `wakes the worker of this process at once`() async throws {
        try await withJobEnvironment { environment in
            var slow = JobWorker.Options()
            slow.pollInterval = .seconds(3600)
            let bell = JobSignal()
            let worker = environment.worker(slow, bell: bell) { handlers in
                handlers.register(Greeting.self) { _, _ in .succeeded() }
            }
            try await worker.whileRunning(on: environment.loop) {
                // Until it has looked for both priorities and found nothing.
                try await waitUntil { environment.system.statementCount >= 2 }
                let job = NewJob(Greeting(name: "Ada"))
                try await environment.queue(bell).enqueue(job, in: .acme)
                try await waitUntil { try environment.state(of: job) == "succeeded" }
            }
        }
    }

    @Test func `does not do a job before its time`() async throws {
        try await withJobEnvironment { environment in
            let later = NewJob(Greeting(name: "Ada"), after: .seconds(3600))
            try await environment.queue().enqueue(later, in: .acme)
            let now = try await environment.greet("Ben")

            try await environment.work(until: "succeeded", of: now)
            #expect(try environment.state(of: later) == "pending")
            try environment.forward("1 hour")
            try await environment.work(until: "succeeded", of: later)
        }
    }

    @Test func `leaves kinds that it does not know to others`() async throws {
        try await withJobEnvironment { environment in
            let (unknown, known) = (NewJob(UrgentGreeting(name: "Ada")), NewJob(Greeting(name: "Ben")))
            try await environment.queue().enqueue(unknown, in: .acme)
            try await environment.queue().enqueue(known, in: .acme)

            try await environment.work(until: "succeeded", of: known)

            #expect(try environment.admin("SELECT attempts::text FROM jobs WHERE state = 'pending'") == [["0"]])
        }
    }
}

@Suite struct `The wait between attempts` {
    @Test func `doubles up to six hours`() {
        let policy = JobPolicy()

        #expect(policy.delay(after: 1, spread: 1) == .seconds(10))
        #expect(policy.delay(after: 2, spread: 1) == .seconds(20))
        #expect(policy.delay(after: 12, spread: 1) == .seconds(20_480))
        #expect(policy.delay(after: 13, spread: 1) == .seconds(21_600))
        #expect(policy.delay(after: .max, spread: 1) == .seconds(21_600))
    }

    @Test func `is half as long at least, so that those that failed together come back apart`() {
        #expect(JobPolicy().delay(after: 1, spread: 0) == .seconds(5))
    }

    @Test func `adds up to days`() {
        let policy = JobPolicy()
        let days =
            (1..<policy.attempts).reduce(Duration.zero) { $0 + policy.delay(after: $1, spread: 1) } / .seconds(86_400)

        #expect((2...3).contains(days))
    }
}
