import Platform
import Postgres
import Testing

@testable import Directory

@Suite struct `Lists of users` {
    private func names(_ page: Page<User>) -> [String] { page.items.map(\.name.given) }

    @Test func `go page by page from the newest to the oldest, each user once`() async throws {
        try await withEnvironment { environment in
            for name in ["a", "b", "c", "d", "e"] { try await environment.add(name) }
            // Three of one moment, so that the order between them must come from the sub.
            try environment.admin("UPDATE users SET created_at = '2026-01-02' WHERE given_name IN ('b', 'c', 'd')")
            try environment.admin("UPDATE users SET created_at = '2026-01-01' WHERE given_name = 'a'")

            var pages: [Page<User>] = []
            var cursor: ListCursor?
            repeat {
                let page = try await environment.list.page(in: .acme, after: cursor, limit: 2)
                pages.append(page)
                cursor = page.next
            } while cursor != nil

            #expect(pages.map(\.items.count) == [2, 2, 1])
            let seen = pages.flatMap(names)
            #expect(seen.first == "e" && seen.last == "a" && Set(seen).count == 5)
            #expect(pages.allSatisfy { $0.total == 5 })
        }
    }

    @Test func `end with a full page where there is nothing more`() async throws {
        try await withEnvironment { environment in
            try await environment.add("Ada")
            try await environment.add("Ben")

            let page = try await environment.list.page(in: .acme, limit: 2)

            #expect(page.items.count == 2)
            #expect(page.next == nil)
        }
    }

    @Test func `find by the beginning of address, name or family name`() async throws {
        try await withEnvironment { environment in
            for name in ["Ada", "Ben", "Cleo"] { try await environment.add(name) }
            for (text, expected) in [
                ("ada", ["Ada"]), ("ADA@acme", ["Ada"]), ("Ada Love", ["Ada"]), ("love", ["Ada", "Ben", "Cleo"]),
                (" cl ", ["Cleo"]), ("%", []), ("d", []), ("ada\0", ["Ada"]), ("\u{10FFFF}", []), ("'; --", []),
            ] as [(String, [String])] {
                let search = try #require(UserSearch(text))

                let page = try await environment.list.page(in: .acme, matching: search, limit: 10)

                #expect(Set(names(page)) == Set(expected), "\(text)")
                #expect(page.total == expected.count)
            }
        }
    }

    @Test func `find a whole sub, and what is not Latin in any case`() async throws {
        try await withAda { environment, ada in
            try environment.admin("UPDATE users SET family_name = 'Ångström' WHERE sub = $1", ada.rawValue)

            for text in [ada.rawValue, "ÅNG", "ada Å"] {
                let page = try await environment.list.page(in: .acme, matching: UserSearch(text), limit: 10)
                #expect(page.items.map(\.subject) == [ada], "\(text)")
            }
            let part = UserSearch(String(ada.rawValue.prefix(20)))
            #expect(try await environment.list.page(in: .acme, matching: part, limit: 10).items.isEmpty)
        }
    }

    @Test func `find a name as its script has it`() async throws {
        try await withAda { environment, ada in
            for (given, family, terms) in [
                ("小明", "王", ["王小明", "王小", "王", "小明"]), ("世勳", "欧阳", ["欧阳世勳", "欧阳世", "欧阳"]), ("민준", "김", ["김민준"]),
            ] {
                try environment.admin(
                    "UPDATE users SET given_name = $2, family_name = $3 WHERE sub = $1", ada.rawValue, given, family)
                for text in terms {
                    let page = try await environment.list.page(in: .acme, matching: UserSearch(text), limit: 10)
                    #expect(page.items.map(\.subject) == [ada], "\(text)")
                }
                for text in ["小王明", "王明", "欧世勳", "김준"] {
                    let page = try await environment.list.page(in: .acme, matching: UserSearch(text), limit: 10)
                    #expect(page.items.isEmpty, "\(text)")
                }
            }
        }
    }

    @Test func `search on from a cursor`() async throws {
        try await withEnvironment { environment in
            for name in ["Ada", "Ben", "Cleo"] { try await environment.add(name) }
            let search = UserSearch("love")

            let first = try await environment.list.page(in: .acme, matching: search, limit: 2)
            let second = try await environment.list.page(in: .acme, matching: search, after: first.next, limit: 2)

            #expect(Set(names(first) + names(second)) == ["Ada", "Ben", "Cleo"])
            #expect(second.next == nil)
            #expect(second.total == 3)
        }
    }

    @Test func `stop counting at a thousand`() async throws {
        try await withEnvironment { environment in
            try environment.admin(
                """
                INSERT INTO users (team_id, sub, given_name, family_name, email, created_at)
                SELECT 'ACMETEAM01', 'sub' || n, 'User' || n, 'Family' || n, 'user' || n || '@acme.example',
                    now() - n * interval '1 second'
                FROM generate_series(1, 1001) n
                """)

            let page = try await environment.list.page(in: .acme, limit: 10)

            #expect(page.total == 1001)
        }
    }
}
