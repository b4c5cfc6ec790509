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

    @Test func `find a name however people write it`() async throws {
        try await withAda { environment, ada in
            for (given, family, terms) in [
                ("小明", "王", ["王 小明", "小明 王"]), ("Ming", "Wang", ["Wang Ming", "ming  wang", "ＷＡＮＧ"]),
                ("Thị Hoa", "Nguyễn", ["nguyen thi hoa", "Nguye\u{302}\u{303}n", "hoa", "Thị hoa nguyễn"]),
                ("민준", "김", ["\u{1100}\u{1175}\u{11B7}", "김 민준"]),
                ("Zoë", "van der Berg", ["zoe", "berg", "Van Der", "van der berg zoë"]),
                ("Søren", "O’Hara-Núñez", ["soren", "o'hara", "nunez", "O’HARA-nu"]),
            ] {
                try environment.admin(
                    "UPDATE users SET given_name = $2, family_name = $3 WHERE sub = $1", ada.rawValue, given, family)
                for text in terms {
                    let page = try await environment.list.page(in: .acme, matching: UserSearch(text), limit: 10)
                    #expect(page.items.map(\.subject) == [ada] && page.total == 1, "\(text)")
                }
            }
        }
    }

    @Test func `find an address by each of its words, its domain, and the relay address`() async throws {
        try await withAda { environment, ada in
            try environment.admin(
                """
                UPDATE users SET email = 'ada.k_love@xn--mnchen-3ya.example', relay_address = 'qx7@relay.example'
                WHERE sub = $1
                """, ada.rawValue)
            for text in ["ADA.K", "love@", "k_love", "münchen.ex", "xn--mn", "ada.k_love@munchen.example", "qx7@relay"]
            {
                let page = try await environment.list.page(in: .acme, matching: UserSearch(text), limit: 10)
                #expect(page.items.map(\.subject) == [ada], "\(text)")
            }
            try environment.admin("UPDATE users SET email = NULL WHERE sub = $1", ada.rawValue)
            let gone = try await environment.list.page(in: .acme, matching: UserSearch("love@"), limit: 10)
            #expect(gone.items.isEmpty)
        }
    }

    @Test func `find nobody of another team, and nobody who was deleted`() async throws {
        try await withAda { environment, ada in
            let search = UserSearch("ada")
            #expect(try await environment.list.page(in: .rival, matching: search, limit: 10).items.isEmpty)
            try await UserSearchTermStore(environment.database).update(in: .rival)
            #expect(try environment.admin("SELECT FROM user_search_changes").count == 1)
            #expect(try await environment.list.page(in: .acme, matching: search, limit: 10).items.count == 1)
            try environment.admin("DELETE FROM users WHERE sub = $1", ada.rawValue)
            #expect(try environment.admin("SELECT FROM user_search_terms").count == 0)
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
