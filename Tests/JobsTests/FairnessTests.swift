import Domain
import Jobs
import Postgres
import Testing

@Suite struct `Teams that share the queue` {
    /// One job at a time, so that the order is known.
    private func order(in world: World, until count: Int) async throws -> [String] {
        let diary = Diary()
        var options = JobWorker.Options.quick
        options.concurrency = 1
        let worker = world.worker(options) { handlers in
            handlers.register(Greeting.self) { greeting, _ in
                diary.note(greeting.name)
                return .succeeded()
            }
            handlers.register(UrgentGreeting.self) { greeting, _ in
                diary.note(greeting.name)
                return .succeeded()
            }
        }
        try await worker.whileRunning(on: world.loop) {
            try await world.loop.wait { diary.all.count >= count }
        }
        return diary.all
    }

    /// Fills the queue of a team in one statement.
    private func flood(_ team: TeamID, _ count: Int, in world: World) throws {
        try world.admin(
            """
            INSERT INTO jobs (team_id, job_id, kind, priority, payload, due_at)
            SELECT $1, translate(lpad(n::text, 26, '0'), '0189', 'abcd'), 'test.greeting', 1,
                '{"name": "flood"}', now() - interval '1 hour'
            FROM generate_series(1, $2::integer) AS n
            """,
            team.rawValue,
            String(count)
        )
        try world.admin("ANALYZE jobs")
    }

    @Test func `do not wait for the one that has 100,000 jobs`() async throws {
        try await withWorld { world in
            try flood(World.acme, 100_000, in: world)
            for name in ["Ada", "Ben"] {
                try await world.queue().enqueue(NewJob(Greeting(name: name)), in: World.rival)
            }

            let order = try await order(in: world, until: 8)

            let (ada, ben) = (order.firstIndex(of: "Ada"), order.firstIndex(of: "Ben"))
            #expect(try #require(ada) <= 2)
            #expect(try #require(ben) <= 4)
        }
    }

    @Test func `have their urgent jobs done before their others`() async throws {
        try await withWorld { world in
            try flood(World.acme, 100, in: world)
            try await world.queue().enqueue(NewJob(UrgentGreeting(name: "Ada")), in: World.acme)

            let order = try await order(in: world, until: 3)

            #expect(order.first == "Ada")
        }
    }

    @Test func `find places for urgent jobs, whatever hangs`() async throws {
        try await withWorld { world in
            for team in [World.acme, World.rival] { try flood(team, 3, in: world) }
            let diary = Diary()
            var options = JobWorker.Options.quick
            options.concurrency = 4
            let worker = world.worker(options) { handlers in
                handlers.register(Greeting.self) { _, _ in
                    diary.note("hangs")
                    try await world.loop.wait { diary.all.contains("Ada") }
                    return .succeeded()
                }
                handlers.register(UrgentGreeting.self) { greeting, _ in
                    diary.note(greeting.name)
                    return .succeeded()
                }
            }
            try await worker.whileRunning(on: world.loop) {
                try await world.loop.wait { diary.all.count == 3 }
                try await world.queue().enqueue(NewJob(UrgentGreeting(name: "Ada")), in: World.rival)
                try await world.loop.wait { diary.all.count == 7 }
            }
            #expect(diary.all == ["hangs", "hangs", "hangs", "Ada", "hangs", "hangs", "hangs"])
        }
    }

    @Test func `V43: are not kept from their jobs by one whose jobs hang`() async throws {
        try await withWorld { world in
            try flood(World.acme, 100, in: world)
            let diary = Diary()
            let worker = world.worker { handlers in
                handlers.register(Greeting.self) { greeting, _ in
                    diary.note(greeting.name)
                    if greeting.name == "flood" { try await world.loop.wait { diary.all.contains("Ada") } }
                    return .succeeded()
                }
            }
            try await worker.whileRunning(on: world.loop) {
                try await world.loop.wait { diary.all.count >= 16 }
                try await world.queue().enqueue(NewJob(Greeting(name: "Ada")), in: World.rival)
                // Once she is through, the others follow.
                try await world.loop.wait { diary.all.count == 101 }
            }
            #expect(try #require(diary.all.firstIndex(of: "Ada")) < 24, "of 24 places for such jobs")
        }
    }

    /// Has a thousand teams wait for later, with a normal job each, and some of them with an urgent one.
    private func putOff(in world: World) throws {
        try world.admin(
            """
            INSERT INTO teams (team_id, name, mode)
            SELECT 'LATER' || lpad(n::text, 5, '0'), 'Later', 'sandbox' FROM generate_series(1, 1000) AS n
            """
        )
        try world.admin(
            """
            INSERT INTO jobs (team_id, job_id, kind, priority, payload, due_at)
            SELECT team_id, translate(priority::text, '01', 'ab') || repeat('a', 25), 'test.greeting', priority,
                '{"name": "later"}', now() + interval '1 day'
            FROM teams, generate_series(0, 1) AS priority
            WHERE name = 'Later' AND (priority = 1 OR team_id <= 'LATER00400')
            """
        )
    }

    @Test func `that only have jobs for later do not hide those behind them`() async throws {
        try await withWorld { world in
            try putOff(in: world)
            try await world.queue().enqueue(NewJob(Greeting(name: "Ada")), in: World.rival)

            #expect(try await order(in: world, until: 1) == ["Ada"])
        }
    }

    @Test func `V43: that only have jobs for later leave the database alone`() async throws {
        try await withWorld { world in
            try putOff(in: world)
            try await world.queue().enqueue(NewJob(Greeting(name: "Ada")), in: World.rival)
            let diary = Diary()
            var options = JobWorker.Options()
            // By itself it looks once, so that all it does without end is too much.
            options.pollInterval = .seconds(3600)
            let worker = world.worker(options) { handlers in
                handlers.register(Greeting.self) { greeting, _ in
                    diary.note(greeting.name)
                    return .succeeded()
                }
            }
            try await worker.whileRunning(on: world.loop) {
                try await world.loop.wait { diary.all == ["Ada"] }
                var (count, looks) = (0, 0)
                try await world.loop.wait {
                    looks = world.system.statementCount == count ? looks + 1 : 0
                    count = world.system.statementCount
                    return looks == 100 || count > 1000
                }
                #expect(count < 50, "a few laps of four or five looks each")
            }
        }
    }

    @Test func `cannot see or end one another's jobs`() async throws {
        try await withWorld { world in
            let job = NewJob(Greeting(name: "Ada"))
            try await world.queue().enqueue(job, in: World.acme)

            let seen = try await world.database.query(
                "SELECT job_id FROM jobs WHERE job_id = \(job.id)",
                in: World.rival
            )
            let changed = try await world.database.query(
                "UPDATE jobs SET problem = 'x' WHERE job_id = \(job.id)",
                in: World.rival
            )
            await #expect(throws: PostgresFailure.self) {
                try await world.database.query(
                    NewJob(Greeting(name: "Ben")).insertion(in: World.acme),
                    in: World.rival
                )
            }

            #expect(seen.isEmpty)
            #expect(changed.changed == 0)
        }
    }

    @Test func `keep what their jobs carry from the system`() async throws {
        try await withWorld { world in
            try await world.queue().enqueue(NewJob(Greeting(name: "Ada")), in: World.acme)

            await #expect(throws: PostgresFailure.self) {
                try await world.systemDatabase.query("SELECT payload FROM jobs")
            }
            await #expect(throws: PostgresFailure.self) {
                try await world.systemDatabase.query("UPDATE jobs SET state = 'cancelled'")
            }
        }
    }
}
