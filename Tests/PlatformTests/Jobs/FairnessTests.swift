import EventLoop
import Platform
import Postgres
import TestSupport
import Testing

@Suite struct `Teams that share the queue` {
    /// One job at a time, so that the order is known.
    private func order(in environment: JobEnvironment, until count: Int) async throws -> [String] {
        let diary = Notes()
        var options = JobWorker.Options.quick
        options.concurrency = 1
        let worker = environment.worker(options) { handlers in
            handlers.register(Greeting.self) { greeting, _ in
                diary.note(greeting.name)
                return .succeeded()
            }
            handlers.register(UrgentGreeting.self) { greeting, _ in
                diary.note(greeting.name)
                return .succeeded()
            }
        }
        try await worker.whileRunning(on: environment.loop) { try await waitUntil { diary.all.count >= count } }
        return diary.all
    }

    /// Fills the queue of a team in one statement.
    private func flood(_ team: TeamID, _ count: Int, in environment: JobEnvironment) throws {
        try environment.admin(
            """
            INSERT INTO jobs (team_id, job_id, kind, priority, payload, due_at)
            SELECT $1, translate(lpad(n::text, 26, '0'), '0189', 'abcd'), 'test.greeting', 1,
                '{"name": "flood"}', now() - interval '1 hour'
            FROM generate_series(1, $2::integer) AS n
            """, team.rawValue, String(count))
    }

    @Test func `do not wait for the one that has thousands of jobs`() async throws {
        try await withJobEnvironment { environment in
            try flood(TeamID.acme, 2_000, in: environment)
            for name in ["Ada", "Ben"] { try await environment.greet(name, in: .rival) }

            let order = try await order(in: environment, until: 8)

            let (ada, ben) = (order.firstIndex(of: "Ada"), order.firstIndex(of: "Ben"))
            #expect(try #require(ada) <= 2)
            #expect(try #require(ben) <= 4)
        }
    }

    @Test func `have their urgent jobs done before their others`() async throws {
        try await withJobEnvironment { environment in
            try flood(TeamID.acme, 100, in: environment)
            try await environment.queue().enqueue(NewJob(UrgentGreeting(name: "Ada")), in: .acme)

            let order = try await order(in: environment, until: 3)

            #expect(order.first == "Ada")
        }
    }

    @Test func `find places for urgent jobs, whatever hangs`() async throws {
        try await withJobEnvironment { environment in
            for team in [TeamID.acme, TeamID.rival] { try flood(team, 3, in: environment) }
            let diary = Notes()
            var options = JobWorker.Options.quick
            options.concurrency = 4
            let worker = environment.worker(options) { handlers in
                handlers.register(Greeting.self) { _, _ in
                    diary.note("hangs")
                    try await waitUntil { diary.all.contains("Ada") }
                    return .succeeded()
                }
                handlers.register(UrgentGreeting.self) { greeting, _ in
                    diary.note(greeting.name)
                    return .succeeded()
                }
            }
            try await worker.whileRunning(on: environment.loop) {
                try await waitUntil { diary.all.count == 3 }
                try await environment.queue().enqueue(NewJob(UrgentGreeting(name: "Ada")), in: .rival)
                try await waitUntil { diary.all.count == 7 }
            }
            #expect(diary.all == ["hangs", "hangs", "hangs", "Ada", "hangs", "hangs", "hangs"])
        }
    }

    @Test func `V43: are not kept from their jobs by one whose jobs hang`() async throws {
        try await withJobEnvironment { environment in
            try flood(TeamID.acme, 100, in: environment)
            let diary = Notes()
            let worker = environment.worker { handlers in
                handlers.register(Greeting.self) { greeting, _ in
                    diary.note(greeting.name)
                    if greeting.name == "flood" { try await waitUntil { diary.all.contains("Ada") } }
                    return .succeeded()
                }
            }
            try await worker.whileRunning(on: environment.loop) {
                try await waitUntil { diary.all.count >= 16 }
                try await environment.greet("Ada", in: .rival)
                // Once she is through, the others follow.
                try await waitUntil { diary.all.count == 101 }
            }
            #expect(try #require(diary.all.firstIndex(of: "Ada")) < 24, "of 24 places for such jobs")
        }
    }

    @Test func `find two places for each kind of job, whatever all others do`() async throws {
        try await withJobEnvironment { environment in
            try flood(TeamID.acme, 20, in: environment)
            try flood(TeamID.rival, 20, in: environment)
            let diary = Notes()
            var options = JobWorker.Options.quick
            options.concurrency = 8
            let worker = environment.worker(options) { handlers in
                handlers.register(Greeting.self) { _, _ in
                    diary.note("hangs")
                    try await waitUntil { diary.all.contains("Eve") }
                    return .succeeded()
                }
                handlers.register(Farewell.self) { farewell, _ in
                    diary.note(farewell.name)
                    return .succeeded()
                }
            }
            try await worker.whileRunning(on: environment.loop) {
                try await waitUntil { diary.all.count == 4 }
                for name in ["Ada", "Ben", "Eve"] {
                    try await environment.queue().enqueue(NewJob(Farewell(name: name)), in: .acme)
                }
                try await waitUntil { diary.all.count == 43 }
            }
            #expect(Set(diary.all[4..<7]) == ["Ada", "Ben", "Eve"])
        }
    }

    @Test func `have one job at a time tried of a kind that nobody answers, until somebody does`() async throws {
        try await withJobEnvironment { environment in
            let (diary, answers) = (Notes(), Flag())
            var options = JobWorker.Options.quick
            (options.hangTime, options.concurrency) = (.zero, 8)
            let worker = environment.worker(options) { handlers in
                handlers.register(Greeting.self) { greeting, _ in
                    diary.note("\(greeting.name) begins")
                    guard diary.all.count > 3 else { return .failed("nobody answers") }
                    try await waitUntil { answers.isSet }
                    return .succeeded()
                }
                handlers.register(Farewell.self) { farewell, _ in
                    diary.note(farewell.name)
                    return .succeeded()
                }
            }
            try await worker.whileRunning(on: environment.loop) {
                for name in ["Ada", "Ben", "Cleo"] {
                    try await environment.greet(name)
                    try await waitUntil { diary.all.contains("\(name) begins") }
                }
                try flood(TeamID.rival, 5, in: environment)
                try await waitUntil { diary.all.count == 4 }
                // Whoever looked for more of it looked for this one, too.
                try await environment.queue().enqueue(NewJob(Farewell(name: "Eve")), in: .acme)
                try await waitUntil { diary.all.contains("Eve") }
                #expect(diary.all.count == 5)

                answers.set()
                // With what failed before, perhaps.
                try await waitUntil { diary.all.count >= 9 }
            }
        }
    }

    /// Has six hundred teams wait for later, with a normal job each, and some of them with an urgent one.
    private func postpone(in environment: JobEnvironment) throws {
        try environment.admin(
            """
            INSERT INTO teams (team_id, name, mode)
            SELECT 'LATER' || lpad(n::text, 5, '0'), 'Later', 'sandbox' FROM generate_series(1, 600) AS n
            """)
        try environment.admin(
            """
            INSERT INTO jobs (team_id, job_id, kind, priority, payload, due_at)
            SELECT team_id, translate(priority::text, '01', 'ab') || repeat('a', 25), 'test.greeting', priority,
                '{"name": "later"}', now() + interval '1 day'
            FROM teams, generate_series(0, 1) AS priority
            WHERE name = 'Later' AND (priority = 1 OR team_id <= 'LATER00300')
            """)
    }

    @Test func `that only have jobs for later do not hide those behind them`() async throws {
        try await withJobEnvironment { environment in
            try postpone(in: environment)
            try await environment.greet("Ada", in: .rival)

            #expect(try await order(in: environment, until: 1) == ["Ada"])
        }
    }

    @Test func `V43: that only have jobs for later leave the database alone`() async throws {
        try await withJobEnvironment { environment in
            try postpone(in: environment)
            try await environment.greet("Ada", in: .rival)
            let diary = Notes()
            var options = JobWorker.Options()
            // By itself it looks once, so that all it does without end is too much.
            options.pollInterval = .seconds(3600)
            let worker = environment.worker(options) { handlers in
                handlers.register(Greeting.self) { greeting, _ in
                    diary.note(greeting.name)
                    return .succeeded()
                }
            }
            try await worker.whileRunning(on: environment.loop) {
                try await waitUntil { diary.all == ["Ada"] }
                // As long as it looks, a statement of its own is sent before or behind each of these.
                var (asked, quiet) = (0, 0)
                while quiet < 10, environment.system.statementCount - asked < 1000 {
                    let before = environment.system.statementCount
                    try await environment.systemDatabase.query("SELECT 1")
                    asked += 1
                    quiet = environment.system.statementCount == before + 1 ? quiet + 1 : 0
                }
                let count = environment.system.statementCount - asked
                #expect(count < 50, "a few laps of four or five looks each")
            }
        }
    }

    @Test func `cannot see or end one another's jobs`() async throws {
        try await withJobEnvironment { environment in
            let job = try await environment.greet()

            let seen = try await environment.database.query(
                "SELECT job_id FROM jobs WHERE job_id = \(job.id)", in: .rival)
            let changed = try await environment.database.query(
                "UPDATE jobs SET problem = 'x' WHERE job_id = \(job.id)", in: .rival)
            await #expect(throws: PostgresFailure.self) {
                try await environment.database.query(NewJob(Greeting(name: "Ben")).insertion(in: .acme), in: .rival)
            }

            #expect(seen.isEmpty)
            #expect(changed.changed == 0)
        }
    }

    @Test func `keep what their jobs carry from the system`() async throws {
        try await withJobEnvironment { environment in
            try await environment.greet()

            await #expect(throws: PostgresFailure.self) {
                try await environment.systemDatabase.query("SELECT payload FROM jobs")
            }
            await #expect(throws: PostgresFailure.self) {
                try await environment.systemDatabase.query("UPDATE jobs SET state = 'cancelled'")
            }
        }
    }
}
