import Bytes
import Domain
import EventLoop
import Jobs
import Postgres
import Testing

@Suite struct `The queue of jobs` {
    @Test func `does a job with what it carries, once`() async throws {
        try await withWorld { world in
            let diary = Diary()
            let job = NewJob(Greeting(name: "Ada"))
            try await world.queue().enqueue(job, in: World.acme)

            let worker = world.worker { handlers in
                handlers.register(Greeting.self) { greeting, run in
                    diary.note("\(greeting.name) of \(run.team), attempt \(run.claim.attempt)")
                    return .succeeded(["said": "hello"])
                }
            }
            try await worker.whileRunning(on: world.loop) {
                try await world.loop.wait { try world.state(of: job) == "succeeded" }
            }

            #expect(diary.all == ["Ada of ACMETEAM01, attempt 1"])
            let row = try world.admin("SELECT payload::text, result::text, worker FROM jobs")
            #expect(row == [["{}", #"{"said": "hello"}"#, nil]])
            #expect(worker.counts.succeeded == 1)
        }
    }

    @Test func `keeps a job of a transaction that commits, and only then`() async throws {
        struct Regret: Error {}
        try await withWorld { world in
            let queue = world.queue()
            let (kept, dropped) = (NewJob(Greeting(name: "Ada")), NewJob(Greeting(name: "Ben")))

            try await world.database.transaction(in: World.acme) { transaction in
                _ = try await queue.enqueue(kept, in: World.acme, transaction)
            }
            await #expect(throws: Regret.self) {
                try await world.database.transaction(in: World.acme) { transaction in
                    _ = try await queue.enqueue(dropped, in: World.acme, transaction)
                    throw Regret()
                }
            }

            #expect(try world.state(of: kept) == "pending")
            #expect(try world.state(of: dropped) == nil)
        }
    }

    @Test func `takes one job of a key, in each team`() async throws {
        try await withWorld { world in
            let queue = world.queue()

            let first = try await queue.enqueue(NewJob(Greeting(name: "Ada"), once: "ada"), in: World.acme)
            let again = try await queue.enqueue(NewJob(Greeting(name: "Ada"), once: "ada"), in: World.acme)
            let other = try await queue.enqueue(NewJob(Greeting(name: "Ada"), once: "ada"), in: World.rival)

            #expect([first, again, other] == [true, false, true])
        }
    }

    @Test func `enqueues with a statement of another when its condition holds`() async throws {
        try await withWorld { world in
            let (done, left) = (NewJob(Greeting(name: "Ada")), NewJob(Greeting(name: "Ben")))

            try await world.database.query(done.insertion(in: World.acme, when: "WHERE true"), in: World.acme)
            try await world.database.query(
                left.insertion(in: World.acme, when: "WHERE false"),
                in: World.acme
            )

            #expect(try world.state(of: done) == "pending")
            #expect(try world.state(of: left) == nil)
        }
    }

    @Test func `wakes the worker of this process at once`() async throws {
        try await withWorld { world in
            var slow = JobWorker.Options()
            slow.pollInterval = .seconds(3600)
            let bell = JobBell()
            let worker = world.worker(slow, bell: bell) { handlers in
                handlers.register(Greeting.self) { _, _ in .succeeded() }
            }
            try await worker.whileRunning(on: world.loop) {
                // Until it has looked once and found nothing.
                await world.loop.sleep(for: .milliseconds(300))
                let job = NewJob(Greeting(name: "Ada"))
                try await world.queue(bell).enqueue(job, in: World.acme)
                try await world.loop.wait { try world.state(of: job) == "succeeded" }
            }
        }
    }

    @Test func `does not do a job before its time`() async throws {
        try await withWorld { world in
            let queue = world.queue()
            let (later, now) = (
                NewJob(Greeting(name: "Ada"), after: .seconds(3600)), NewJob(Greeting(name: "Ben"))
            )
            try await queue.enqueue(later, in: World.acme)
            try await queue.enqueue(now, in: World.acme)

            let worker = world.worker { handlers in
                handlers.register(Greeting.self) { _, _ in .succeeded() }
            }
            try await worker.whileRunning(on: world.loop) {
                try await world.loop.wait { try world.state(of: now) == "succeeded" }
                #expect(try world.state(of: later) == "pending")
                try world.forward("1 hour")
                try await world.loop.wait { try world.state(of: later) == "succeeded" }
            }
        }
    }

    @Test func `leaves kinds that it does not know to others`() async throws {
        try await withWorld { world in
            let (unknown, known) = (NewJob(UrgentGreeting(name: "Ada")), NewJob(Greeting(name: "Ben")))
            try await world.queue().enqueue(unknown, in: World.acme)
            try await world.queue().enqueue(known, in: World.acme)

            let worker = world.worker { handlers in
                handlers.register(Greeting.self) { _, _ in .succeeded() }
            }
            try await worker.whileRunning(on: world.loop) {
                try await world.loop.wait { try world.state(of: known) == "succeeded" }
            }

            #expect(try world.admin("SELECT attempts::text FROM jobs WHERE state = 'pending'") == [["0"]])
        }
    }
}
