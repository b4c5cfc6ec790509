import Bytes
import Directory
import Domain
import HTTP
import Testing

@testable import Console

/// What is counted for all of a team together.
enum TeamFormCount: CaseIterable {
    case tenMinutes, day

    var subject: LimitSubject { self == .day ? .team("console-forms-day") : .team("console-forms") }
    var most: Int { self == .day ? FormLimit.mostOfTeamInDay : FormLimit.mostOfTeam }
    var window: Duration { self == .day ? FormLimit.day : FormLimit.window }
}

/// What an account changes is kept before and after, and the room for it is everybody's.
@Suite struct `Forms of one account` {
    private static let path = "/console/ACMETEAM01/app-ids"

    /// Counts forms of all of a team, as many as it may send by that count but for one.
    private func useTeam(_ environment: TestEnvironment, _ count: TeamFormCount) async throws {
        _ = try await LimitStore(environment.parts.database).add(
            count.most - 1, to: count.subject, window: count.window, in: .acme, at: environment.now)
    }

    /// Counts as many forms as an account may send but for `left`.
    private func use(_ environment: TestEnvironment, leaving left: Int) async throws {
        let rows = try environment.admin("SELECT sub FROM users WHERE team_id = 'PIPPIN0000' AND given_name = 'Ada'")
        let ada = try #require(rows.first?.first.flatMap { $0 })
        _ = try await LimitStore(environment.parts.database).add(
            FormLimit.most - left, to: .account("console-forms", ada), window: FormLimit.window, in: .system,
            at: environment.now)
    }

    @Test func `V43: are counted, and another account goes on`() async throws {
        try await withEnvironment { environment in
            var owner = try await environment.signedIn("Ada", [TeamID.acme: .owner])
            var other = try await environment.signedIn("Ben", [TeamID.acme: .owner])
            try await use(environment, leaving: 2)
            var statuses: [Int] = []
            for _ in 0..<4 { statuses.append(try await owner.post(Self.path).status) }
            #expect(statuses == [422, 422, 429, 429])

            let refused = try await owner.post(Self.path, [("description", "Pomme")])
            #expect(refused["retry-after"].flatMap { Int($0) }.map { (1...600).contains($0) } == true)
            #expect(refused.text.contains("pippin apply"))
            #expect(try await other.post(Self.path).status == 422)
        }
    }

    @Test func `V43: count by what they hold`() async throws {
        try await withEnvironment { environment in
            var owner = try await environment.signedIn("Ada", [TeamID.acme: .owner])
            try await use(environment, leaving: 8)
            let long = String(repeating: "x", count: 40_000)
            #expect(try await owner.post(Self.path, [("description", long)]).status == 429)
        }
    }

    @Test(arguments: TeamFormCount.allCases)
    func `V43: count for the team as well, however many accounts it has, and another team goes on`(count: TeamFormCount)
        async throws
    {
        try await withEnvironment { environment in
            var ben = try await environment.signedIn("Ben", [TeamID.acme: .admin])
            var ada = try await environment.signedIn("Ada", [TeamID.acme: .owner])
            var rita = try await environment.signedIn("Rita", [TeamID.rival: .owner])
            try await useTeam(environment, count)

            #expect(try await ben.post(Self.path).status == 422)
            let refused = try await ada.post(Self.path)
            #expect(refused.status == 429 && refused.text.contains("People of this team have changed"))
            let longest = Int(count.window / .seconds(1))
            #expect(refused["retry-after"].flatMap { Int($0) }.map { (1...longest).contains($0) } == true)
            #expect(try await rita.post("/console/RIVALTEAM1/app-ids").status == 422)
            // What only reads out goes on, and who used them up does not keep their right by it.
            #expect(try await ada.post("/console/ACMETEAM01/audit/export").status == 400)
            let removal = [("confirmation", "ben@acme.example"), ("reason", "floods us")]
            let address = MemberRoutes.removal.link(TeamID.acme, try #require(ben.subject))
            #expect(try await ada.post(address, removal).status == 303)
        }
    }

    @Test func `V43: that an account is refused take nothing of the team’s`() async throws {
        try await withEnvironment { environment in
            var owner = try await environment.signedIn("Ada", [TeamID.acme: .owner])
            try await use(environment, leaving: 1)
            for _ in 0..<5 { _ = try await owner.post(Self.path) }
            let rows = try environment.admin(
                "SELECT count FROM limits WHERE team_id = 'ACMETEAM01' AND subject LIKE 'console-forms%'")
            #expect(rows == [["1"], ["1"], ["1"]])
        }
    }

    @Test func `V43: count for the account alone where they only read out, or take away what is there once`()
        async throws
    {
        let verbs: Set<Substring> = [
            "deletion", "departure", "end", "export", "refusal", "removal", "revocation", "suspension", "verification",
            "withdrawal",
        ]
        try await withEnvironment { environment in
            for route in environment.mounted where !route.countsForTeam {
                #expect(route.pattern.split(separator: "/").last.map(verbs.contains) == true, "\(route.pattern)")
            }
        }
    }

    @Test func `V43: of one account leave the team three quarters of a day`() async throws {
        try await withEnvironment { environment in
            var ben = try await environment.signedIn("Ben", [TeamID.acme: .admin])
            var ada = try await environment.signedIn("Ada", [TeamID.acme: .owner])
            _ = try await LimitStore(environment.parts.database).add(
                FormLimit.mostInDay, to: .account("console-forms-by", try #require(ben.subject).rawValue),
                window: FormLimit.day, in: .acme, at: environment.now)
            #expect(FormLimit.mostInDay * 4 <= FormLimit.mostOfTeamInDay)
            #expect(FormLimit.most * 4 <= FormLimit.mostOfTeam)
            #expect(try await ben.post(Self.path).status == 429)
            #expect(try await ada.post(Self.path).status == 422)
        }
    }

    @Test func `V43: outside of any team count for the account alone`() async throws {
        try await withEnvironment { environment in
            var otto = try await environment.signedIn("Otto", [.system: .operator])
            let form = [("name", ""), ("team_id", "short")]
            #expect(try await otto.post("/console/teams", form).status == 422)
            let teams = try environment.admin("SELECT team_id FROM limits WHERE subject LIKE 'console-forms%'")
            #expect(teams == [[TeamID.system.rawValue]])
        }
    }
}
