import Platform
import Registry
import Testing

@Suite struct `Lists of teams` {
    @Test func `show a person theirs by name, and no other`() async throws {
        try await withAda { environment, ada in
            let ben = try environment.addAccount("ben")
            try await environment.addTeam("zebra", owner: ada)
            try await environment.addTeam("Acme", owner: ada)
            try await environment.addTeam("Rival", owner: ben)
            try await environment.add(ada, as: .operator, to: .system)

            let memberships = try await environment.rights.find(of: ada).memberships

            #expect(memberships.map(\.team.settings.name.rawValue) == ["Acme", "zebra"])
            #expect(memberships.allSatisfy { $0.role == .owner })
            #expect(try await environment.rights.find(of: Subject(hexadecimal: "cleo")).memberships.isEmpty)
        }
    }

    @Test func `show operators all but the system team, page by page, the newest first`() async throws {
        try await withEnvironment { environment in
            for name in ["a", "b", "c", "d", "e"] { try await environment.addTeam(name) }
            // Three of one moment, so that the order between them must come from the id.
            try environment.admin("UPDATE teams SET created_at = '2026-01-02' WHERE name IN ('b', 'c', 'd')")
            try environment.admin("UPDATE teams SET created_at = '2026-01-01' WHERE name = 'a'")

            var pages: [Page<Team>] = []
            var cursor: ListCursor?
            repeat {
                let page = try await environment.list.page(after: cursor, limit: 2)
                pages.append(page)
                cursor = page.next
            } while cursor != nil

            #expect(pages.map(\.items.count) == [2, 2, 1])
            let names = pages.flatMap(\.items).map(\.settings.name.rawValue)
            #expect(names.first == "e" && names.last == "a" && Set(names).count == 5)
            #expect(pages.allSatisfy { $0.total == 5 })
        }
    }

    @Test func `are searched by the beginning of a name or a whole id`() async throws {
        try await withEnvironment { environment in
            try await environment.addTeam("Acme", as: "ACMETEAM01")
            try await environment.addTeam("Acme Labs")
            try await environment.addTeam("Rival")
            for (text, expected) in [
                ("acm", ["Acme", "Acme Labs"]), ("acmeteam01", ["Acme"]), ("%", []),
                ("", ["Acme", "Acme Labs", "Rival"]), ("riv\0al", ["Rival"]), ("'; DROP TABLE teams; --", []),
            ] as [(String, [String])] {
                let page = try await environment.list.page(matching: text, limit: 10)
                #expect(Set(page.items.map(\.settings.name.rawValue)) == Set(expected), "\(text)")
                #expect(page.total == expected.count, "\(text)")
            }
        }
    }

    @Test func `show deleted teams to operators alone`() async throws {
        try await withAda { environment, ada in
            let id = try await environment.addTeam("Acme", owner: ada)
            try environment.markDeleted(id)

            let page = try await environment.list.page(limit: 10)

            #expect(page.items.map(\.id) == [id] && page.items[0].deletedAt != nil)
            #expect(try await environment.rights.find(of: ada).memberships.isEmpty)
            #expect(try await environment.members.find(ada, in: id) == nil)
        }
    }
}
