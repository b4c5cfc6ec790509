import Core
import EventLoop
import Glibc
import Platform
import Simulator
import TestSupport
import Testing

@testable import pippin

extension WholeProduct {
    /// Security case V43 in the whole product: one team asks for the heaviest work that it may, another goes on meanwhile.
    ///
    /// Shown by what is still held when the other has its answer, never by the clock.
    @Suite struct `A neighbour that floods` {
        @Test func `V43: with wrong passwords waits for itself, and another team's sign-in is next`() async throws {
            try await withWalk { walk in
                let rita = Visitor(walk.product, login: "rita@rival.example", Fixtures.password)
                try rita.begin(at: "/t/\(Product.rival)/account/session")
                let answer = try passes(rita, Product.team, walk) { _ in walk.product.newAddress() }
                #expect(answer == 303)
            }
        }

        @Test func `V68: with console passwords of one network waits for itself, and another's is next`() async throws {
            try await withWalk { walk in
                let ben = Visitor(walk.product, login: "ben@acme.example", "a guess of his own")
                try ben.begin(at: "/t/\(TeamID.system)/account/session")
                let answer = try passes(ben, "\(TeamID.system)", walk) { _ in "203.0.113.9" }
                #expect((400..<500).contains(answer))
            }
        }

        /// Has forty strangers try passwords at a team before somebody else sends one.
        ///
        /// - Parameter address: of each of the strangers.
        /// - Returns: the status of the answer, which comes while the strangers wait.
        private func passes(_ last: Visitor, _ team: String, _ walk: PageTour, at address: (Int) -> String) throws
            -> Int
        {
            let (product, passwords) = (walk.product, walk.product.process.pools.passwords)
            let (start, end, threads) = (Latch(), Latch(), max(1, Machine.cores - 1))
            defer { for latch in [start, end] { latch.open() } }
            // Begun before, so that nothing but the password is left to be asked for.
            let population = try (0..<40).map { number in
                let values = ["email": "nobody-\(number)@acme.example", "password": "wrong password"]
                let stranger = Visitor(product, values, at: address(number))
                try stranger.begin(at: "/t/\(team)/account/session")
                return stranger
            }

            // Every thread is taken; the crowd stands in its line, and the one comes last.
            for _ in 0..<threads { Task { try await passwords.run { start.wait() } } }
            try blockUntil { start.count >= threads }
            for visitor in population { visitor.send() }
            try blockUntil { passwords.waitingCount >= population.count }
            last.send()
            try blockUntil { passwords.waitingCount >= population.count + 1 }
            // Behind it each thread is taken again, by others whose turn comes before the crowd's second.
            for number in 0..<threads { Task { try await passwords.run(for: "gate \(number)") { end.wait() } } }
            try blockUntil { passwords.waitingCount >= population.count + 1 + threads }
            start.open()

            // It is answered although the crowd is not: were it behind the crowd, this would not end.
            let status = last.read().status
            #expect(end.released == 0)
            #expect(passwords.waitingCount >= population.count - 2 * threads)
            end.open()
            let answers = population.map { $0.read().status }
            #expect(answers.allSatisfy { (400..<500).contains($0) }, "\(Set(answers))")
            return status
        }

        @Test func `V43: with signing keys gets 429, and keeps no key and no sign-in of another team waiting`()
            async throws
        {
            try await withWalk { walk in
                let product = walk.product
                try product.useUpHeavyWork(of: Product.team, butFor: 1)
                #expect((0..<3).map { _ in walk.replaceKeys(of: Product.team) } == [303, 429, 429])
                #expect(walk.replaceKeys(of: Product.rival) == 303)

                // With every thread and place for keys taken by one, passwords are proved as ever.
                let (pool, holder) = (product.process.pools.signingKeys, Latch())
                defer { holder.open() }
                // The places are for those that wait: the first has its thread before the others come.
                Task { try? await pool.run(for: Product.team) { holder.wait() } }
                try blockUntil { holder.count >= 1 }
                for _ in 0..<64 { Task { try? await pool.run(for: Product.team) { holder.wait() } } }
                try blockUntil { pool.waitingCount >= 64 }
                let rita = Visitor(product, login: "rita@rival.example", Fixtures.password)
                try rita.begin(at: "/t/\(Product.rival)/account/session")
                rita.send()
                #expect(rita.read().status == 303)
                #expect(holder.released == 0)
            }
        }

        @Test func `V43: with everything at once has nothing of another team refused`() async throws {
            try await withWalk { walk in
                let flood = Self.heavy.map { path, fields in
                    let body = walk.body(fields.map { (name: $0, value: Array($1.utf8)) })
                    let form = [("Content-Type", "application/x-www-form-urlencoded")]
                    let wire = Wire(port: walk.product.port)
                    _ = wire.send(walk.message("POST", "/console/\(Product.rival)/\(path)", form, body))
                    return wire
                }
                // All of it is under way while a person of another team signs in to an app, which redeems and refreshes.
                let ada = Visitor(walk.product, login: "ada@acme.example", Fixtures.password)
                let code = try ada.approve(at: "/t/\(Product.team)/auth/authorize?\(walk.authorization)")
                var answer = try redeem([("grant_type", "authorization_code"), ("code", code)], walk)
                let token = try #require(answer["refresh_token"]?.string)
                answer = try redeem([("grant_type", "refresh_token"), ("refresh_token", token)], walk)
                #expect(answer["id_token"] != nil)
                for page in ["users", "audit", "app-ids", "keys"] {
                    #expect(walk.get("/console/\(Product.team)/\(page)").status == 200, "\(page)")
                }
                // Each of the flood is served, or is told when to come again.
                var served: Set<String> = []
                for (wire, (path, _)) in zip(flood, Self.heavy) {
                    let answer = wire.read()
                    let isTold = answer["retry-after"] != nil
                    #expect([200, 303].contains(answer.status) || isTold, "\(path): \(answer.status)")
                    if answer.status < 400 { served.insert(path) }
                }
                #expect(served == Set(Self.heavy.map(\.path)), "none of this kind was done")
            }
        }

        /// What costs most in a console, about as often as it may be asked for (`RateLimit.heavyWork`).
        private static let heavy: [(path: String, fields: [(String, String)])] = Array(
            repeating: [
                ("audit/verification", []), ("audit/export", [("format", "csv")]),
                ("signing-keys/replacement", [("confirmation", Product.rival), ("reason", "test")]),
            ], count: 3
        ).flatMap { $0 }

        private func redeem(_ fields: [(String, String)], _ walk: PageTour) throws -> JSONValue {
            let registration = walk.product.demo.registration
            let form =
                fields + [
                    ("client_id", registration.clientID), ("client_secret", try walk.secret()),
                    ("redirect_uri", registration.returnURL),
                ]
            let body = FormCoding.encode(form.map { (name: $0, value: $1) })
            let answer = walk.post("/t/\(Product.team)/auth/token", Array(body.utf8))
            #expect(answer.status == 200, "\(answer.text)")
            return try JSON.decode(JSONValue.self, from: answer.body)
        }
    }
}
