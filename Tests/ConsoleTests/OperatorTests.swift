import Core
import Platform
import SignIn
import Testing

@testable import Console

/// A job that nobody does here.
private struct Errand: JobKind {
    static let kind = "test.errand"

    let recipient: String
    let message: String
}

@Suite(.environment) struct `The operators' area` {
    private static let list = "/console/operator/jobs"

    private func enqueue(in team: TeamID = .acme) async throws -> JobID {
        let job = NewJob(Errand(recipient: "ada@acme.example", message: "verification"))
        try await environment.parts.jobs.enqueue(job, in: team)
        return job.id
    }

    @Test func `lists the jobs of all teams, by state, kind and team`() async throws {
        var ops = try await environment.signedIn("ops", [.system: .operator])
        _ = try await enqueue()
        _ = try await enqueue(in: .rival)
        try environment.admin(
            """
            UPDATE jobs SET state = 'dead', finished_at = now(), keep_until = now()
            WHERE team_id = 'RIVALTEAM1'
            """)

        let all = try await ops.get(Self.list).text
        let dead = try await ops.get("\(Self.list)?state=dead").text
        let acme = try await ops.get("\(Self.list)?team=ACMETEAM01&kind=test.errand").text

        #expect(all.contains("2 jobs"))
        #expect(dead.contains("1 job<"))
        #expect(dead.contains("RIVALTEAM1"))
        #expect(!dead.contains("ACMETEAM01"))
        #expect(acme.contains("1 job<"))
        #expect(try await ops.get("\(Self.list)?team=nonsense").text.contains("No job matches"))
    }

    @Test func `S9, V44: tells of connections and descriptors, and when they run short`() async throws {
        for name in ["quiet", "crowded"] {
            var beat = ProcessHeartbeat(
                id: name, host: name + ".example", pid: 1, version: "1", startedAt: .now(), clock: .now(), loops: 2)
            let numbers = name == "quiet" ? (12, 34, 19, 7, 0, 60) : (700, 704, 0, 0, 3, 950)
            (beat.connections.now, beat.connections.peak, beat.connections.refused) = (numbers.0, numbers.1, numbers.2)
            (beat.connections.full, beat.connections.shortages, beat.connections.descriptors) = (
                numbers.3, numbers.4, numbers.5
            )
            (beat.connections.limit, beat.connections.descriptorLimit) = (704, 999)
            // A code of a newer release has no text here.
            beat.conditions = name == "quiet" ? [] : ["descriptors", "of_tomorrow"]
            try await ProcessStore(environment.parts.system).note(beat)
        }
        try environment.admin("UPDATE heartbeats SET seen_at = now() + interval '1 hour'")
        var ops = try await environment.signedIn("ops", [.system: .operator])
        let page = try await ops.get("/console/operator").text

        #expect(page.contains("12 of 704, at most 34 since its start"))
        #expect(page.contains("19 since its start; 7 times all were taken"))
        #expect(page.contains("950 of 999; none left 3 times"))
        #expect(page.contains("crowded.example has nearly as many connections as it takes"))
        #expect(page.contains("crowded.example, descriptors: Fewer than 64 file descriptors are free."))
        #expect(!page.contains("quiet.example has nearly") && !page.contains("quiet.example, descriptors"))
        #expect(!page.contains("tomorrow"))
    }

    @Test(arguments: [
        #"{"host": "next.example", "pid": "seven", "connections": 5, "refused": {"limited": 3}}"#,
        #"{"host": "next.example", "clock": "noon", "conditions": {"starting": 1}, "loops": null}"#,
    ]) func `shows what it can read of a server of another release`(heartbeat: String) async throws {
        try environment.admin(
            """
            INSERT INTO heartbeats (process_id, seen_at, heartbeat)
            VALUES ('next', now() + interval '1 hour', $1::jsonb), ('last', now() + interval '1 hour', '[]')
            """, heartbeat)
        var ops = try await environment.signedIn("ops", [.system: .operator])
        let page = try await ops.get("/console/operator")

        #expect(page.status == 200 && page.text.contains("next.example"))
    }

    @Test func `gives operators a team that a registry file made, and nobody else`() async throws {
        try environment.admin("DELETE FROM memberships WHERE team_id = 'RIVALTEAM1'")
        var ada = try await environment.signedIn("ada", [TeamID.acme: .owner])
        var ops = try await environment.signedIn("ops", [.system: .operator])
        let path = "/console/operator/teams/RIVALTEAM1/ownership"

        #expect(try await ada.post(path, []).status == 404)
        #expect(try await ops.get("/console/operator/teams").text.contains(path))
        #expect(try await ops.get("/console/RIVALTEAM1").status == 404)
        #expect(try await ops.post(path, []).status == 303)
        #expect(try await ops.get("/console/RIVALTEAM1").status == 200)
        #expect(try await !ops.get("/console/operator/teams").text.contains("ownership"))
    }

    @Test func `gives nobody the team of the Apple simulator`() async throws {
        try environment.openAppleSide()
        var ops = try await environment.signedIn("ops", [.system: .operator])
        let path = "/console/operator/teams/\(TestEnvironment.appleSide)/ownership"

        let teams = try await ops.get("/console/operator/teams").text
        #expect(teams.contains("Made by --simulate-apple.") && !teams.contains(path))
        #expect(try await ops.post(path, []).status == 404)
        #expect(try await ops.get("/console/\(TestEnvironment.appleSide)").status == 404)
    }

    @Test func `shows a job without what may name a person`() async throws {
        var ops = try await environment.signedIn("ops", [.system: .operator])
        let id = try await enqueue()

        let page = try await ops.get("\(Self.list)/ACMETEAM01/\(id)").text

        #expect(page.contains("verification"))
        #expect(page.contains("(16 characters)"))
        #expect(!page.contains("ada@acme.example"))
    }

    @Test func `finds a job in its own team alone`() async throws {
        var ops = try await environment.signedIn("ops", [.system: .operator])
        let id = try await enqueue()

        #expect(try await ops.get("\(Self.list)/RIVALTEAM1/\(id)").status == 404)
        #expect(try await ops.post("\(Self.list)/RIVALTEAM1/\(id)/attempt").status == 404)
    }

    @Test func `has a dead job tried again, and tells the team's audit log`() async throws {
        var ops = try await environment.signedIn("ops", [.system: .operator])
        let id = try await enqueue()
        try environment.admin("UPDATE jobs SET state = 'dead', attempts = 20, finished_at = now(), keep_until = now()")

        let answer = try await ops.post("\(Self.list)/ACMETEAM01/\(id)/attempt")

        #expect(answer.status == 303)
        #expect(try environment.admin("SELECT state, attempts::text FROM jobs") == [["pending", "0"]])
        #expect(try environment.allActions(in: .acme).contains("job.retried"))
    }

    @Test func `gives a job up only with its name typed and a reason`() async throws {
        var ops = try await environment.signedIn("ops", [.system: .operator])
        let id = try await enqueue()
        let path = "\(Self.list)/ACMETEAM01/\(id)/cancellation"

        let refused = try await ops.post(path, [("confirmation", "test"), ("reason", "")])
        #expect(refused.status == 422)
        #expect(refused.text.contains("Say why"))
        #expect(try environment.jobStates() == ["pending"])

        let done = try await ops.post(path, [("confirmation", "test.errand"), ("reason", "Asked for twice")])
        #expect(done.status == 303)
        #expect(try environment.admin("SELECT state, payload::text FROM jobs") == [["cancelled", "{}"]])
        #expect(try environment.allActions(in: .acme).contains("job.cancelled"))
    }

    @Test func `shows mail that was not sent, with its link, and tells who looked`() async throws {
        var ops = try await environment.signedIn("ops", [.system: .operator])
        let id = String(repeating: "a", count: 26)
        try environment.admin(
            """
            INSERT INTO mailbox (
                team_id, mail_id, of_team, message, recipient, subject, body_text, body_html, link
            ) VALUES (
                'PIPPIN0000', $1, 'ACMETEAM01', 'verification', 'ada@acme.example', 'Confirm <it>',
                'Please', '<p>Please</p>', 'https://pippin.example/verify'
            )
            """, id)

        let list = try await ops.get("/console/operator/mailbox?q=ada").text
        let mail = try await ops.get("/console/operator/mailbox/\(id)").text

        #expect(list.contains("Confirm &lt;it&gt;"))
        #expect(list.contains("Acme"))
        #expect(mail.contains("href=\"https://pippin.example/verify\""))
        #expect(mail.contains("&lt;p&gt;Please&lt;/p&gt;"))
        #expect(try environment.allActions(in: .system).contains("mail.read"))
    }

    @Test func `finds teams by the beginning of their names`() async throws {
        var ops = try await environment.signedIn("ops", [.system: .operator])

        let found = try await ops.get("/console/operator/teams?q=riv").text

        #expect(found.contains("RIVALTEAM1"))
        #expect(!found.contains("ACMETEAM01"))
    }

    @Test func `says how the installation is`() async throws {
        var ops = try await environment.signedIn("ops", [.system: .operator])
        _ = try await enqueue()
        try environment.admin(
            """
            INSERT INTO jobs (team_id, job_id, kind, priority, payload, every_seconds, due_at, problem)
            VALUES ('PIPPIN0000', repeat('r', 26), 'test.late', 2, '{}', 60, now(), 'No.')
            """)

        let page = try await ops.get("/console/operator")

        #expect(page.status == 200)
        #expect(page.text.contains("test.errand"))
        #expect(page.text.contains("test.late failed last time"))
    }

    @Test func `is not there for owners of teams`() async throws {
        var owner = try await environment.signedIn("owner", [TeamID.acme: .owner])
        let id = try await enqueue()

        for path in ["", "/teams", "/jobs", "/jobs/ACMETEAM01/\(id)", "/mailbox"] {
            #expect(try await owner.get("/console/operator" + path).status == 404, "\(path)")
        }
    }
}
