import TestSupport
import Testing

@testable import pippin

extension WholeProduct {
    /// HEAD asks for what a GET would be answered with, and wants nothing to happen (RFC 9110 section 9.2.1): scanners of
    /// links send it.
    @Suite struct `HEAD` {
        @Test func `stores nothing at any address that answers a GET`() async throws {
            try await withWalk { walk in
                let queries = ["", "?\(walk.authorization)", "?state=s&code=c&next=/console"]
                for pattern in walk.patterns("GET") {
                    if pattern.contains(":interaction") { try walk.renew(forInteraction: pattern) }
                    let before = try stored(walk)
                    for path in try walk.paths(pattern) {
                        for query in queries { #expect(head(walk, path + query) > 0, "\(path)") }
                    }
                    #expect(try stored(walk) == before, "\(pattern)")
                }
            }
        }

        @Test func `leaves no trace of a sign-in, which a GET does`() async throws {
            try await withWalk { walk in
                let address = "/t/\(Product.team)/auth/authorize"
                func traces() throws -> Int { try walk.product.admin("SELECT FROM traces").count }
                func getAndAwaitTrace() throws {
                    let before = try traces()
                    #expect(walk.get("\(address)?\(walk.authorization)").status == 303)
                    try blockUntil { try traces() > before }
                }
                try getAndAwaitTrace()
                let before = try traces()
                for _ in 0..<20 {
                    #expect(head(walk, "\(address)?\(walk.authorization)") == 204)
                    #expect(head(walk, "\(address)?client_id=nobody") == 204)
                }
                // Traces are written in order: by that of the last request, those before it are there.
                try getAndAwaitTrace()
                #expect(try traces() == before + 1)
            }
        }
    }
}

/// On a connection of its own, because the reader of answers waits for a body.
private func head(_ walk: PageTour, _ path: String) -> Int {
    walk.wire.close()
    let message = walk.message("HEAD", path, [("Connection", "close")], [])
    defer { walk.wire.close() }
    return walk.wire.ask(message).status
}

/// What is stored at once on the way of a sign-in, and of what counts.
private func stored(_ walk: PageTour) throws -> [[String?]] {
    let tables = [
        "interactions", "authorization_codes", "sessions", "upstream_requests", "upstream_identities", "users",
        "consents", "refresh_tokens", "test_sign_ins", "mailed_links", "limits", "memberships", "audit_events",
    ]
    let counts = tables.map { "SELECT '\($0)', count(*) FROM \($0)" }
    return try walk.product.admin(counts.joined(separator: " UNION ALL ") + " ORDER BY 1")
}
