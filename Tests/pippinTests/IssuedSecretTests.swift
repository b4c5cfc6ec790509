import Core
import Crypto
import Glibc
import Platform
import Simulator
import TestSupport
import Testing

@testable import pippin

extension WholeProduct {
    /// Security cases V51 and V57: whatever secret an answer shows or a form takes, looked for in the database and in the log.
    @Suite struct `A secret that was issued` {
        @Test func `V57, V66: lies in clear in no column of any table, and in no line of the log`() async throws {
            try await withWalk { walk in
                let (product, team) = (walk.product, Product.team)
                let olive = Visitor(product, ["confirmation": team, "reason": "test"], cookies: walk.cookies)
                let ada = Visitor(product, login: "ada@acme.example", Fixtures.password)
                let guest = Visitor(
                    product,
                    [
                        "email": "gina@acme.example", "given_name": "Gina", "new": "plant-another-pip-today-7",
                        "password": "guess-of-a-stranger-5",
                    ])
                var search = SecretSearch(product, of: [olive, ada, guest])

                // Of the console: a key, invitations, a test sign-in.
                olive.submit(
                    "name", at: "/console/\(team)/keys/new", ["name": "CI two", "appID": "example.acme.apart"])
                olive.submit(to: "/download")
                olive.submit("role", at: "/console/\(team)/members", ["email": "mia@acme.example", "role": "admin"])
                olive.submit("email", at: "/console/\(team)/user-invitations", ["email": "uma@acme.example"])
                olive.submit(
                    "responseMode", at: "/console/\(team)/service-ids/example.acme.web/test-sign-ins/new",
                    ["name": "yes", "email": "yes"])
                try search.run("a test sign-in has begun")
                for _ in 0..<3 where !olive.page.text.contains("Worked") { olive.submit() }
                #expect(olive.page.text.contains("Worked"), "\(olive.page.text.prefix(2000))")

                // Of people: sessions, codes, tokens, an app for one-time passwords with its codes for recovery.
                let code = try ada.approve(at: "/t/\(team)/auth/authorize?\(walk.authorization)")
                var answer = try redeem([("grant_type", "authorization_code"), ("code", code)], walk, ada)
                let token = try #require(answer["refresh_token"]?.string)
                answer = try redeem([("grant_type", "refresh_token"), ("refresh_token", token)], walk, ada)
                #expect(answer["id_token"] != nil)
                try addTOTP(to: ada, team)
                try search.run("people have signed in")

                // Of strangers: links, which wait for whoever follows them.
                let begun = "/t/\(team)/auth/authorize?\(walk.authorization)"
                guest.follow(begun)
                guest.follow(link: "/registration")
                guest.submit("given_name", at: nil)
                for step in ["/recovery", "/password"] {
                    guest.follow(begun)
                    if step == "/recovery" { guest.follow(link: step) }
                    guest.submit("email", at: nil, ["email": "ada@acme.example"])
                }
                try blockUntil { try product.admin("SELECT FROM mailbox WHERE body_sealed IS NOT NULL").count >= 4 }
                for row in try product.admin("SELECT mail_id FROM mailbox WHERE body_sealed IS NOT NULL") {
                    olive.follow("/console/operator/mailbox/\(row[0] ?? "")")
                }
                try search.run("mail has been sent and read")
                for link in olive.seen(from: "http://localhost:\(product.port)/invitations/") {
                    guest.follow(link)
                    guest.follow(link: "/account/session?next=")
                    #expect(guest.page.text.contains("name=\"password\""))
                }
                try search.run("a link leads through a sign-in")

                // What was found by its shape is of every kind that is shown to somebody.
                for kind in SecretKind.all where kind != .hexadecimalKey && kind != .passwordHash && kind != .receipt {
                    #expect(search.found.contains { SecretKind.isFound(in: $0, among: [kind]) }, "none of \(kind)")
                }
            }
        }

        private func redeem(_ fields: [(String, String)], _ walk: PageTour, _ visitor: Visitor) throws -> JSONValue {
            let registration = walk.product.demo.registration
            let form =
                fields + [
                    ("client_id", registration.clientID), ("client_secret", try walk.secret()),
                    ("redirect_uri", registration.returnURL),
                ]
            let answer = visitor.post("/t/\(Product.team)/auth/token", form.map { (name: $0, value: $1) })
            #expect(answer.status == 200, "\(answer.text)")
            return try JSON.decode(JSONValue.self, from: answer.body)
        }

        private func addTOTP(to visitor: Visitor, _ team: String) throws {
            visitor.follow("/t/\(team)/account/factors/totp/new")
            let text = try #require(visitor.page.text.firstMatch(of: /(?:[A-Z2-7]{4} ){7}[A-Z2-7]{4}/)?.0)
            let secret = try #require(TOTPSecret(text: String(text)))
            visitor.note(secret.text)
            let code = TOTP.code(of: secret, step: TOTP.step(atSeconds: Timestamp.now().seconds))
            visitor.submit("code", at: nil, ["code": code])
        }
    }
}

/// Looks for what visitors were shown and what they typed, in the whole database and in the log.
private struct SecretSearch {
    private let product: Product
    private let visitors: [Visitor]
    private(set) var found: Set<String> = []

    init(_ product: Product, of visitors: [Visitor]) { (self.product, self.visitors) = (product, visitors) }

    /// What has the shape of a secret and is none: the name of a row, which opens nothing by itself, or what a client chose.
    private static let open: Set<String> = [
        // Of the browser whose cookie is hashed beside it (V23).
        "interactions.interaction_id", "mailed_links.interaction_id", "upstream_requests.interaction_id", "jobs.job_id",
        "jobs.idempotency_key", "mailbox.mail_id", "notifications.notification_id", "traces.trace_id",
        "trace_events.trace_id", "authorization_codes.trace_id", "audit_events.target",
        // Of the session that is hashed beside it.
        "test_sign_ins.test_sign_in_id", "interactions.test_sign_in_id", "authorization_codes.test_sign_in_id",
        "interactions.redirect_uri", "authorization_codes.redirect_uri", "test_sign_ins.return_url",
        // Comes back in the id_token, as clients choose it (OpenID Connect Core section 2).
        "test_sign_ins.nonce", "interactions.nonce", "authorization_codes.nonce", "interactions.code_challenge",
        "authorization_codes.code_challenge",
    ]

    /// Looks for all that has been shown by now.
    mutating func run(_ moment: String) throws {
        for visitor in visitors { found.formUnion(visitor.secrets()) }
        // Of the public half of a key, for whoever compares it.
        for row in try product.admin("SELECT fingerprint FROM keys") { row[0].map { _ = found.remove($0) } }
        let needles = found.union([Fixtures.password]).map { ($0, Self.spellings(of: $0)) }
        for table in try tables() {
            for row in try product.admin("SELECT to_jsonb(t)::text FROM \(table) AS t") {
                guard let text = row[0] else { continue }
                for (secret, spellings) in needles where spellings.contains(where: text.contains) {
                    try note(secret, spellings, text, table, moment)
                }
            }
        }
        for line in product.log.lines {
            for (secret, _) in needles where line.contains(secret) {
                // Names of rows are logged with what became of them.
                let kinds = SecretKind.all.filter { $0 != .receipt }
                #expect(!SecretKind.isFound(in: secret, among: kinds), "\(moment): \(line)")
            }
        }
    }

    private func tables() throws -> [String] {
        let rows = try product.admin(
            """
            SELECT relname FROM pg_class
            WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
            """)
        return rows.compactMap { $0[0] }
    }

    private func note(_ secret: String, _ spellings: [String], _ row: String, _ table: String, _ moment: String) throws
    {
        guard case .object(let members) = try JSON.decode(JSONValue.self, from: Array(row.utf8)) else { return }
        for (column, value) in members {
            let text = String(decoding: JSON.encode(value), as: UTF8.self)
            guard spellings.contains(where: text.contains), !Self.open.contains("\(table).\(column)") else { continue }
            Issue.record("\(moment): \(table).\(column) has \(secret): \(text.prefix(300))")
        }
    }

    /// The text, its octets as `bytea` is printed, and what it stands for in base64url.
    private static func spellings(of secret: String) -> [String] {
        var all = [secret, Hex.encode(Array(secret.utf8))]
        if let octets = Base64URL.decode(secret), octets.count >= 12 { all.append(Hex.encode(octets)) }
        return all
    }
}
