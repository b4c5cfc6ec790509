import Testing

@testable import HTTP

private struct TeamID: PathValue, Equatable {
    let text: String

    static func parse(pathSegment: Span<UInt8>) -> TeamID? {
        pathSegment.count == 4 ? String.parse(pathSegment: pathSegment).map(TeamID.init) : nil
    }

    var pathSegment: String { text }
}

@Suite struct `Routes` {
    private func table(_ declare: (inout Router) -> Void) throws -> RoutingTable {
        var router = Router()
        declare(&router)
        return try router.frozen()
    }

    private func pattern(_ match: RoutingTable.Match) -> String {
        switch match {
        case .action(let action, _): action.pattern
        case .notFound: "404"
        case .methodNotAllowed(let allow, _): "405 \(allow)"
        }
    }

    private func find(_ table: RoutingTable, _ path: String, _ method: Method = .get) throws -> String {
        pattern(table.match(method, try #require(Target(Array(path.utf8)))))
    }

    @Test func `a route prints the link it matches`() async throws {
        let route = Route("/console/:team/app-ids/:id", TeamID.self, String.self)
        try await withServer {
            $0.get(route) { _, team, id in .text("\(team.text) \(id)") }
        } _: { server async throws in
            let link = route.link(TeamID(text: "ACME"), "50% of a b/é?")
            #expect(link == "/console/ACME/app-ids/50%25%20of%20a%20b%2F%C3%A9%3F")
            let answer = try server.get(route.link(TeamID(text: "ACME"), "50% é"))
            #expect(answer.body == "ACME 50% é")
        }
    }

    @Test func `a segment that is no value of its type is not found`() async throws {
        try await withServer {
            $0.get(Route("/teams/:team", TeamID.self)) { _, team in .text(team.text) }
            $0.get(Route("/numbers/:n", Int.self)) { _, n in .text("\(n)") }
        } _: { server async throws in
            #expect(try server.get("/teams/ACME").status == 200)
            #expect(try server.get("/teams/ACMES").status == 404)
            #expect(try server.get("/teams/%FF%FF%FF%FF").status == 404)
            #expect(try server.get("/numbers/7").body == "7")
            for other in ["07", "+7", "x", "99999999999999999999", "7.0", "%20"] {
                #expect(try server.get("/numbers/\(other)").status == 404)
            }
        }
    }

    @Test func `a literal wins over a value, a dead end falls back to it, and the nearly right is not found`() throws {
        let table = try table {
            $0.get(Route("/app-ids/new")) { _ in .empty() }
            $0.get(Route("/app-ids/:id", String.self)) { _, _ in .empty() }
            $0.get(Route("/app-ids/new/keys")) { _ in .empty() }
            $0.get(Route("/app-ids/:id/users", String.self)) { _, _ in .empty() }
            $0.get(Route("/app-ids")) { _ in .empty() }
            $0.get(Route("/")) { _ in .empty() }
        }
        let found = [
            "/app-ids/new": "/app-ids/new", "/app-ids/news": "/app-ids/:id", "/app-ids/new/keys": "/app-ids/new/keys",
            "/app-ids/new/users": "/app-ids/:id/users", "/app-ids": "/app-ids", "/": "/",
        ]
        for (path, pattern) in found { #expect(try find(table, path) == pattern, "\(path)") }
        for path in ["/app-ids/", "/app-id", "/app-idss", "/app-ids/a/b", "/app-ids/a/", "/%61pp-ids/a", "/App-ids/a"] {
            #expect(try find(table, path) == "404", "\(path)")
        }
    }

    @Test func `the methods of a path are those declared`() throws {
        let table = try table {
            $0.post(Route("/teams")) { _ in .empty() }
            $0.on(.delete, Route("/teams/:team", String.self)) { _, _ in .empty() }
            $0.on(.put, Route("/teams/:team", String.self)) { _, _ in .empty() }
            $0.get(Route("/teams/:team", String.self)) { _, _ in .empty() }
        }

        #expect(try find(table, "/teams") == "405 POST")
        #expect(try find(table, "/teams/a", .head) == "/teams/:team")
        #expect(try find(table, "/teams/a", .post) == "405 GET, HEAD, PUT, DELETE")
        #expect(try find(table, "/teams/a", .other) == "405 GET, HEAD, PUT, DELETE")
    }

    @Test func `routes that answer the same request are refused`() throws {
        #expect(throws: Router.Failure.ambiguous("/a/:x", "/a/:y")) {
            _ = try table {
                $0.get(Route("/a/:x", Int.self)) { _, _ in .empty() }
                $0.get(Route("/a/:y", String.self)) { _, _ in .empty() }
            }
        }
        #expect(throws: Router.Failure.ambiguous("/a/:x", "/:y/b")) {
            _ = try table {
                $0.get(Route("/a/:x", Int.self)) { _, _ in .empty() }
                $0.post(Route("/:y/b", String.self)) { _, _ in .empty() }
            }
        }
        _ = try table {
            $0.get(Route("/a/:x", Int.self)) { _, _ in .empty() }
            $0.post(Route("/a/:x", Int.self)) { _, _ in .empty() }
        }
    }

    @Test func `five values in one path arrive in their order`() async throws {
        try await withServer {
            let route = Route("/:a/:b/x/:c/:d/:e", Int.self, String.self, Int.self, String.self, Int.self)
            $0.get(route) { _, a, b, c, d, e in .text("\(a) \(b) \(c) \(d) \(e)") }
        } _: { server async throws in
            let answer = try server.get("/1/two/x/3/four/5")

            #expect(answer.body == "1 two 3 four 5")
        }
    }
}
