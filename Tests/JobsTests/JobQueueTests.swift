import Bytes
import Domain
import EventLoop
import Jobs
import Postgres
import Testing

@Suite struct `The queue of jobs` {
    @Test func `does a job with what it carries, once`() async throws {
        try await withEnvironment { environment in
            let diary = Diary()
            let job = NewJob(Greeting(name: "Ada"))
            try await environment.queue().enqueue(job, in: .acme)

            let worker = environment.worker { handlers in
                handlers.register(Greeting.self) { greeting, run in
                    diary.note("\(greeting.name) of \(run.team), attempt \(run.claim.attempt)")
                    return .succeeded(["said": "hello"])
                }
            }
            try await worker.whileRunning(on: environment.loop) {
                try await environment.loop.wait { try environment.state(of: job) == "succeeded" }
            }

            #expect(diary.all == ["Ada of ACMETEAM01, attempt 1"])
            let row = try environment.admin("SELECT payload::text, result::text, worker FROM jobs")
            #expect(row == [["{}", #"{"said": "hello"}"#, nil]])
            #expect(worker.counts.succeeded == 1)
        }
    }

    @Test func `keeps a job of a transaction that commits, and only then`() async throws {
        struct Regret: Error {}
        try await withEnvironment { environment in
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
        try await withEnvironment { environment in
            let queue = environment.queue()

            let first = try await queue.enqueue(NewJob(Greeting(name: "Ada"), once: "ada"), in: .acme)
            let again = try await queue.enqueue(NewJob(Greeting(name: "Ada"), once: "ada"), in: .acme)
            let other = try await queue.enqueue(NewJob(Greeting(name: "Ada"), once: "ada"), in: .rival)

            #expect([first, again, other] == [true, false, true])
        }
    }

    @Test func `enqueues with a statement of another when its condition holds`() async throws {
        try await withEnvironment { environment in
            let (done, left) = (NewJob(Greeting(name: "Ada")), NewJob(Greeting(name: "Ben")))

            try await environment.database.query(done.insertion(in: .acme, when: "WHERE true"), in: .acme)
            try await environment.database.query(left.insertion(in: .acme, when: "WHERE false"), in: .acme)

            #expect(try environment.state(of: done) == "pending")
            #expect(try environment.state(of: left) == nil)
        }
    }

    @Test func `wakes the worker of this process at once`() async throws {
        try await withEnvironment { environment in
            var slow = JobWorker.Options()
            slow.pollInterval = .seconds(3600)
            let bell = JobSignal()
            let worker = environment.worker(slow, bell: bell) { handlers in
                handlers.register(Greeting.self) { _, _ in .succeeded() }
            }
            try await worker.whileRunning(on: environment.loop) {
                // Until it has looked for both priorities and found nothing.
                try await environment.loop.wait { environment.system.statementCount >= 2 }
                let job = NewJob(Greeting(name: "Ada"))
                try await environment.queue(bell).enqueue(job, in: .acme)
                try await environment.loop.wait { try environment.state(of: job) == "succeeded" }
            }
        }
    }

    @Test func `does not do a job before its time`() async throws {
        try await withEnvironment { environment in
            let queue = environment.queue()
            let (later, now) = (NewJob(Greeting(name: "Ada"), after: .seconds(3600)), NewJob(Greeting(name: "Ben")))
            try await queue.enqueue(later, in: .acme)
            try await queue.enqueue(now, in: .acme)

            let worker = environment.worker { handlers in handlers.register(Greeting.self) { _, _ in .succeeded() } }
            try await worker.whileRunning(on: environment.loop) {
                try await environment.loop.wait { try environment.state(of: now) == "succeeded" }
                #expect(try environment.state(of: later) == "pending")
                try environment.forward("1 hour")
                try await environment.loop.wait { try environment.state(of: later) == "succeeded" }
            }
        }
    }

    @Test func `leaves kinds that it does not know to others`() async throws {
        try await withEnvironment { environment in
            let (unknown, known) = (NewJob(UrgentGreeting(name: "Ada")), NewJob(Greeting(name: "Ben")))
            try await environment.queue().enqueue(unknown, in: .acme)
            try await environment.queue().enqueue(known, in: .acme)

            let worker = environment.worker { handlers in handlers.register(Greeting.self) { _, _ in .succeeded() } }
            try await worker.whileRunning(on: environment.loop) {
                try await environment.loop.wait { try environment.state(of: known) == "succeeded" }
            }

            #expect(try environment.admin("SELECT attempts::text FROM jobs WHERE state = 'pending'") == [["0"]])
        }
    }
}
