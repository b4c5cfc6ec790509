import Core
import Crypto
import OAuth
import Platform
import Simulator
import Testing

@testable import pippin

/// Goes along the route table of the product as somebody who may do everything, with forms as the pages show them.
// @unchecked Sendable: as the product it belongs to.
final class PageTour: @unchecked Sendable {
    let product: Product
    let wire: Wire
    /// Of every form that a page shows, by the path it is sent to.
    private(set) var forms: [String: [(name: String, value: String)]] = [:]
    /// What confirms those forms that ask for it, by the same paths.
    private(set) var confirmations: [String: String] = [:]
    private(set) var cookies: [String: String] = [:]
    private var interaction = ""
    private var samples: [String: String] = [:]

    init(_ product: Product) throws {
        self.product = product
        wire = Wire(port: product.port)
        samples = Self.samples
        samples["sub"] = product.people.ada.rawValue
        samples["applekey"] = try product.admin("SELECT key_id FROM apple_keys LIMIT 1")[0][0]
        samples["event"] = try product.admin(
            """
            SELECT (extract(epoch FROM at) * 1000000)::bigint || '-' || event_id FROM audit_events
            WHERE team_id = 'DEMOTEAM01' LIMIT 1
            """)[0][0]
        samples["member"] = try product.admin(
            "SELECT sub FROM memberships WHERE team_id = 'DEMOTEAM01' AND role = 'developer'")[0][0]
        try renew()
        try product.remember()
        try readForms()
    }

    /// What stands for the values in a path; most of them exist.
    private static let samples = [
        "team": Product.team, "app": "example.acme.shop", "service": "example.acme.web", "key": "DEMOKEY001",
        "domain": "localhost", "source": "acme.example", "document": "discovery", "part": "team",
        "trace": String(repeating: "0", count: 28), "refresh": "000102030405060708090a0b0c0d0e0f",
        "token": String(repeating: "A", count: 43), "testsignin": String(repeating: "A", count: 22),
        "notification": String(repeating: "a", count: 26), "transfer": String(repeating: "a", count: 26),
        "appletoken": String(repeating: "0", count: 32), "invitation": "DEMOINVIT1",
        "job": String(repeating: "a", count: 26), "mail": String(repeating: "a", count: 26),
        "receipt": String(repeating: "A", count: 22), "session": String(repeating: "A", count: 43),
        "passkey": String(repeating: "A", count: 43), "digest": String(repeating: "a", count: 64),
        "colour": "0a7cff.css",
    ]

    /// A page of settings is one of several, each with its own form.
    private static let parts = ["team", "sources", "sign-in", "rules", "branding"]

    /// Every address that a pattern stands for, with what stands for its values.
    func paths(_ pattern: String) throws -> [String] {
        guard pattern.hasSuffix("/:part") else { return [try path(pattern)] }
        return try Self.parts.map { try path(pattern, replacing: "part", by: $0) }
    }

    /// The addresses of a method, by their patterns.
    func patterns(_ method: String) -> [String] {
        product.log.routes.filter { $0.hasPrefix("\(method) ") }.map { String($0.dropFirst(method.count + 1)) }
    }

    /// An address with what stands for its values; a route that has others than are known fails the test.
    func path(_ pattern: String, replacing name: String? = nil, by value: String = "") throws -> String {
        guard pattern != "/" else { return pattern }
        return try pattern.split(separator: "/").reduce("") { path, segment in
            guard segment.hasPrefix(":") else { return "\(path)/\(segment)" }
            let own = String(segment.dropFirst())
            guard own != name else { return "\(path)/\(value)" }
            return "\(path)/\(try #require(sample(own, in: pattern), "no sample for :\(own) of \(pattern)"))"
        }
    }

    private func sample(_ name: String, in pattern: String) -> String? {
        switch name {
        case "interaction": interaction
        case "sub" where pattern.contains("/members/"): samples["member"]
        case "key" where pattern.contains("/apple-keys"): samples["applekey"]
        case "locale": "en_US"
        default: samples[name]
        }
    }

    /// Begins everything anew: sessions, the browser, a sign-in under way, limits.
    func renew(forInteraction pattern: String = "") throws {
        cookies = try product.browser()
        try product.forgetCounts()
        guard pattern.isEmpty || pattern.contains(":interaction") else { return }
        if pattern.hasPrefix("/apple") {
            let page = get("/apple/auth/authorize?\(query(client: "example.acme.siwa", at: appleCallback))")
            let action = PageForm.all(in: page.text).first { $0.action.contains("/interactions/") }?.action
            interaction = action?.split(separator: "/").last.map(String.init) ?? ""
        } else {
            let begun = get("/t/\(Product.team)/auth/authorize?\(authorization)")
            interaction = begun.location?.split(separator: "/").last.map(String.init) ?? ""
        }
        #expect(InteractionID(rawValue: interaction) != nil, "no sign-in is begun: \(interaction)")
    }

    /// What the sample app sends to begin a sign-in.
    var authorization: String { query(client: "example.acme.web", at: product.demo.registration.returnURL) }

    private var appleCallback: String { "\(product.process.server.publicURL)/t/\(Product.team)/auth/callback/apple" }

    private func query(client: String, at returnURL: String) -> String {
        FormCoding.encode([
            (name: "client_id", value: client), (name: "redirect_uri", value: returnURL),
            (name: "response_type", value: "code"), (name: "response_mode", value: "form_post"),
            (name: "scope", value: "name email"), (name: "state", value: "s"), (name: "nonce", value: "n"),
        ])
    }

    /// What a client of the demo proves itself with.
    func secret(_ change: (inout [String: JSONValue]) -> Void = { _ in }) throws -> String {
        let (registration, now) = (product.demo.registration, Timestamp.now().seconds)
        var claims: [String: JSONValue] = [
            "iss": .string(Product.team), "iat": .integer(Int64(now)), "exp": .integer(Int64(now) + 300),
            "aud": .string(registration.issuer), "sub": .string(registration.clientID),
        ]
        change(&claims)
        let head = Base64URL.encode(Array(#"{"alg":"ES256","kid":"\#(registration.keyID)"}"#.utf8))
        let part = "\(head).\(Base64URL.encode(JSON.encode(claims)))"
        return "\(part).\(Base64URL.encode(try registration.key.sign(Array(part.utf8).span)))"
    }
}

// Asking.
extension PageTour {
    func get(_ path: String, _ fields: [(String, String)] = []) -> Wire.Answer {
        wire.ask(message("GET", path, fields, []))
    }

    /// The same, with cookies beside those of the browser.
    func get(_ path: String, adding fields: [(name: String, value: String)]) -> Wire.Answer {
        get(path, fields.map { $0.name == "Cookie" ? ($0.name, "\(cookieField); \($0.value)") : $0 })
    }

    private var cookieField: String {
        cookies.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
    }

    func post(
        _ path: String, _ body: [UInt8], type: String = "application/x-www-form-urlencoded",
        _ fields: [(String, String)] = []
    ) -> Wire.Answer { wire.ask(message("POST", path, [("Content-Type", type)] + fields, body)) }

    /// Replaces the signing keys of a team, and returns the status of the answer.
    func replaceKeys(of team: String) -> Int {
        let fields = [("confirmation", team), ("reason", "test")].map { (name: $0, value: Array($1.utf8)) }
        return post("/console/\(team)/signing-keys/replacement", body(fields)).status
    }

    /// A request as a browser of ours sends it, except for what `fields` say.
    func message(_ method: String, _ path: String, _ fields: [(String, String)], _ body: [UInt8]) -> [UInt8] {
        var all = [("Host", "localhost:\(product.port)"), ("X-Forwarded-For", product.newAddress())]
        all.append(("Cookie", cookieField))
        if method == "POST" {
            all += [("Origin", product.process.server.publicURL), ("Content-Length", "\(body.count)")]
        }
        all.removeAll { field in fields.contains { $0.0 == field.0 } }
        let lines = (all + fields).map { "\($0.0): \($0.1)\r\n" }.joined()
        return Array("\(method) \(path) HTTP/1.1\r\n\(lines)\r\n".utf8) + body
    }

    /// A form with these fields, and the token that our pages put there.
    func body(_ fields: [(name: String, value: [UInt8])]) -> [UInt8] {
        var body = Array("csrf=\(product.formToken(cookies))".utf8)
        for field in fields where field.name != "csrf" {
            body += Array("&\(PercentCoding.encode(field.name))=".utf8) + field.value
        }
        return body
    }

    /// Whether a page shows a form with fields of its own for a path.
    func isShown(_ path: String) -> Bool {
        forms[path.replacing(interaction, with: ":interaction")]?.contains { $0.name != "csrf" } == true
    }

    /// The fields of the form that is sent to a path; those that apps send where no page shows one.
    func fields(of path: String) throws -> [(name: String, value: String)] {
        let own = forms[path.replacing(interaction, with: ":interaction")] ?? []
        if own.contains(where: { $0.name != "csrf" }) { return own }
        return try Self.known + [("client_secret", secret())]
    }

    /// What some endpoint reads, as an app or a page would send it.
    private static let known = [
        ("client_id", "example.acme.web"), ("grant_type", "authorization_code"), ("code", "c0"), ("redirect_uri", "x"),
        ("refresh_token", "r0"), ("token", "r0"), ("access_token", "a0"), ("sub", "x"), ("transfer_sub", "x"),
        ("target", "x"), ("scope", "name email"), ("state", "s"), ("nonce", "n"), ("code_verifier", "v"),
        ("identity_token", "e30.e30.AA"), ("id_token", "e30.e30.AA"), ("payload", "e30.e30.AA"), ("user", "{}"),
        ("first_name", "Ada"), ("last_name", "L"), ("email", "ada@acme.example"), ("real_user_status", "2"),
        ("password", "x"), ("name", "Ada"), ("person", "regular"), ("event", "email-enabled"), ("copies", "1"),
        ("codes", "x"), ("error", "x"), ("given_name", "Ada"), ("family_name", "L"), ("decision", "continue"),
        ("next", "/"), ("new", "x"), ("current", "x"), ("confirmation", "x"), ("reason", "x"), ("role", "admin"),
    ].map { (name: $0.0, value: $0.1) }

    /// Looks at every page once and notes its forms.
    private func readForms() throws {
        for pattern in patterns("GET") {
            try renew(forInteraction: pattern.contains(":interaction") ? pattern : "/")
            for address in try paths(pattern) { note(get(address), at: address) }
            guard pattern.contains(":interaction") else { continue }
            // Who is signed in already sees another step.
            cookies = cookies.filter { $0.key.contains("browser") }
            let address = try path(pattern)
            note(get(address), at: address)
        }
    }

    private func note(_ page: Wire.Answer, at address: String) {
        for form in PageForm.all(in: page.text) where form.isPost {
            let action = String((form.action.isEmpty ? address : form.action).prefix { $0 != "?" })
            let path = action.replacing(interaction, with: ":interaction")
            confirmations[path] = confirmations[path] ?? form.confirmation
            for field in form.fields where forms[path]?.contains(where: { $0.name == field.name }) != true {
                forms[path, default: []].append(field)
            }
        }
    }

    /// Whether somebody's tables look as they did.
    func fingerprint() throws -> [[String?]] {
        try product.admin(
            """
            SELECT (SELECT count(*) FROM app_ids), (SELECT count(*) FROM service_ids),
                (SELECT count(*) FROM keys WHERE revoked_at IS NULL), (SELECT count(*) FROM apple_keys),
                (SELECT count(*) FROM apple_connections), (SELECT count(*) FROM email_sources),
                (SELECT count(*) FROM service_domains), (SELECT count(*) FROM memberships),
                (SELECT count(*) FROM users WHERE suspended_at IS NULL), (SELECT count(*) FROM notifications),
                (SELECT string_agg(t::text, '') FROM (SELECT * FROM teams ORDER BY team_id) t),
                (SELECT string_agg(hash, '' ORDER BY team_id, sub) FROM passwords),
                (SELECT count(*) FROM totp_secrets), (SELECT count(*) FROM jobs WHERE kind = 'test.errand')
            """)
    }
}
