import Core
import HTTP
import OAuth
import Platform
import SignIn
import Templates
import Testing

@testable import Console

@Suite struct `The inspector` {
    private static let list = ConsoleRoutes.traces.link(TeamID.acme)

    @Test(.environment) func `explains a return URL that differs by a trailing slash, and leads to the setting`()
        async throws
    {
        var developer = try await environment.acmeWeb("developer", .developer)
        var person = Browser()
        let refused = try await person.get(Self.authorize("redirect_uri=https%3A%2F%2Facme.example%2Fback%2F"))
        try await environment.parts.finishTraces()
        let reference = try #require(Self.reference(on: refused.text))

        let found = try await developer.get("\(Self.list)?reference=\(reference)")
        let page = try await developer.get(try #require(found.location))
        let list = try await developer.get(Self.list)

        #expect(refused.status == 400)
        #expect(found.status == 303)
        #expect(page.text.contains("The return URL is not registered"))
        #expect(page.text.contains("only by a trailing slash from https://acme.example/back"))
        #expect(page.text.contains("href=\"/console/ACMETEAM01/service-ids/com.acme.web\""))
        #expect(page.text.contains(reference))
        #expect(list.text.contains("Acme Web") && list.text.contains(">Failed</span>"))
    }

    @Test(.environment) func `explains invalid_client with what the secret claims and what it should`() async throws {
        var developer = try await environment.acmeWeb("developer", .developer)
        var app = Browser()
        let header = Base64URL.encode(Array(#"{"alg":"ES256","kid":"ACMETEAM01"}"#.utf8))
        let claims = Base64URL.encode(Array(#"{"iss":"com.acme.web","sub":"ACMETEAM01"}"#.utf8))
        let secret = "\(header).\(claims).\(Base64URL.encode([UInt8](repeating: 1, count: 64)))"

        let refused = try await app.post(
            "/t/ACMETEAM01/auth/token",
            [
                ("grant_type", "authorization_code"), ("client_id", "com.acme.web"), ("code", "the code"),
                ("client_secret", secret),
            ])
        try await environment.parts.finishTraces()
        let list = try await developer.get("\(Self.list)?cause=key_unknown")
        let page = try await developer.get(try #require(Self.firstTrace(on: list.text)))

        #expect(refused.text.contains("invalid_client"))
        #expect(page.text.contains("The key is unknown or revoked"))
        #expect(page.text.contains("kid holds the Team ID"))
        #expect(page.text.contains("href=\"/console/ACMETEAM01/keys\""))
        #expect(!page.text.contains(secret) && !page.text.contains("the code"))
    }

    @Test(.environment) func `says that the app never asked for its tokens, once it had time to`() async throws {
        var developer = try await environment.signedIn("developer", [TeamID.acme: .developer])
        var pages: [String] = []
        for (name, age) in [("0123456789abcdef", 90), ("fedcba9876543210", 10)] {
            let now = environment.parts.server.clock()
            let trace = TraceID(ofRequest: name, at: now - .seconds(age))
            let answered = now - .seconds(age)
            try environment.admin(
                "INSERT INTO traces (team_id, trace_id, outcome, opening) VALUES ('ACMETEAM01', $1, 'answered', $2)",
                trace.rawValue, #"{"kind":"authorization","at":0}"#)
            try environment.admin(
                """
                INSERT INTO trace_events (team_id, trace_id, at, kind, event)
                VALUES ('ACMETEAM01', $1, $2::text::timestamptz, 'answered', $3)
                """, trace.rawValue, answered.description, #"{"kind":"answered","at":\#(answered.microseconds)}"#)
            pages.append(try await developer.get(ConsoleRoutes.trace.link(TeamID.acme, trace)).text)
        }

        #expect(pages[0].contains("has not asked for its tokens") && pages[0].contains("SameSite=None"))
        #expect(!pages[1].contains("has not asked for its tokens"))
    }

    @Test(.environment) func `keeps filters in the address, each taken off by its chip`() async throws {
        var auditor = try await environment.acmeWeb("auditor", .auditor)
        var person = Browser()
        _ = try await person.get(Self.authorize("redirect_uri=https%3A%2F%2Facme.example%2Fback"))
        _ = try await person.get(Self.authorize("redirect_uri=https%3A%2F%2Fa.example"))
        try await environment.parts.finishTraces()

        let both = try await auditor.get("\(Self.list)?app=com.acme.web&outcome=failed")
        let none = try await auditor.get("\(Self.list)?app=com.acme.web&cause=code_used")
        let garbage = try await auditor.get("\(Self.list)?app=%3Cb%3E&outcome=x&from=2026-13-45&to=y")

        #expect(Self.count(both.text) == 1 && both.text.contains("1 attempt"))
        #expect(both.text.contains("href=\"\(Self.list)?outcome=failed\""))
        #expect(both.text.contains("href=\"\(Self.list)?app=com.acme.web\""))
        let own = try await auditor.get("\(Self.list)?outcome=failed&test=no")
        #expect(own.text.contains("href=\"\(Self.list)?outcome=failed\"") && own.text.contains("Left out"))
        #expect(none.text.contains("Nothing matches these filters"))
        // What cannot be a day is told beside its field, and the list is that without it.
        #expect(garbage.status == 422 && Self.count(garbage.text) == 2 && garbage.text.contains("Enter a day such as"))
        #expect(try await auditor.get("\(Self.list)?after=nonsense").status == 400)
    }

    @Test(
        .environment,
        arguments: [
            (
                "scope=name%2Cemail&response_mode=form_post",
                "“name,email” is read as one scope. Separate scopes with a blank"
            ), ("scope=name%252Cemail&response_mode=form_post", "“name%2Cemail” is read as one scope"),
            ("scope=openid%20profile%20email&response_mode=form_post", "Apple has no profile scope"),
            (
                "client_id=com.acme.app&redirect_uri=https%3A%2F%2Facme.example%2Fback",
                "It is a bundle ID, which only native"
            ),
        ]) func `names the scope that Apple does not have, and the bundle ID of a website`(query: String, words: String)
        async throws
    {
        var developer = try await environment.acmeWeb("developer", .developer)
        var person = Browser()
        let url = "redirect_uri=https%3A%2F%2Facme.example%2Fback"
        let whole =
            query.contains("client_id")
            ? "/t/ACMETEAM01/auth/authorize?response_type=code&\(query)" : Self.authorize("\(url)&\(query)")
        #expect(try await person.get(whole).status == 400)
        try await environment.parts.finishTraces()

        let list = try await developer.get(Self.list)
        let page = try await developer.get(try #require(Self.firstTrace(on: list.text)))

        #expect(page.text.contains(words), "\(page.text)")
    }

    @Test(.environment) func `says what is odd about a time of a client secret, and whose code Apple's is`()
        async throws
    {
        _ = try await environment.addAcmeWeb()
        let team = try #require(try await environment.parts.teams.snapshot(of: .acme))
        let cases: [(RefusalCause, [String], String)] = [
            (.secretTime, ["client_secret.exp", "1"], "time-absent"),
            (.secretTime, ["client_secret.iat", "null", "client_secret.exp", "1"], "time-absent"),
            (.secretTime, ["client_secret.iat", "\"1\"", "client_secret.exp", "1"], "time-quoted"),
            (
                .secretTime, ["client_secret.iat", "1", "client_secret.exp", "1", "client_secret.nbf", "\"1\""],
                "time-quoted"
            ), (.secretTime, ["client_secret.iat", "1795752873000", "client_secret.exp", "1"], "exp-milliseconds"),
            (.codeMalformed, ["issuer", "Apple"], "code-apple"), (.codeUnknown, [], "code-decoded"),
            (.codeOfOtherClient, ["client_id", "com.acme.app"], "client-bundle"),
            (.codeOfOtherClient, ["client_id", "com.acme.web"], "code-client"),
            (.keyUnknown, ["client_secret.kid", "ABCDEFGHIJ\r\n"], "end-of-line"),
            (.issuerWrong, ["client_secret.iss", "\nACMETEAM01"], "end-of-line"),
            (.subjectWrong, ["client_secret.sub", "com.acme.web "], "end-blank"),
            (.clientMalformed, ["client_id", "com.acme.web\u{A0}"], "end-other"),
            (.clientMalformed, ["client_id", "\u{FEFF}com.acme.web"], "end-other"),
            (.returnURLMissing, ["link", "entities"], "link-advice.entities"),
        ]
        for (cause, facts, key) in cases {
            let pairs = stride(from: 0, to: facts.count, by: 2).map { TraceAttribute(facts[$0], facts[$0 + 1]) }
            let step = TraceEvent(
                .tokenRefused, at: environment.parts.server.clock(), from: Origin(ip: "", userAgent: "", requestID: ""),
                cause: cause, sent: pairs, known: pairs)
            let first = TraceEvidence(step, team).likely.first?.key ?? ""
            #expect(first.hasSuffix(".\(key)"), "\(facts)")
        }
    }

    @Test(.environment) func `of Acme shows nothing of Rival`() async throws {
        var acme = try await environment.acmeWeb("Ada", .owner)
        var rival = try await environment.signedIn("Ben", [TeamID.rival: .owner])
        var person = Browser()
        let refused = try await person.get(Self.authorize("redirect_uri=https%3A%2F%2Fa.example"))
        try await environment.parts.finishTraces()
        let reference = try #require(Self.reference(on: refused.text))
        let path = try #require(Self.firstTrace(on: try await acme.get(Self.list).text))

        let theirs = path.replacing("ACMETEAM01", with: "RIVALTEAM1")
        let search = try await rival.get("/console/RIVALTEAM1/traces?reference=\(reference)")

        #expect(try await rival.get(path).status == 404)
        #expect(try await rival.get(theirs).status == 404)
        #expect(search.status == 200 && search.text.contains("Nothing is known under the reference"))
    }

    @Test func `has words for every cause, step and way to differ`() throws {
        let texts = try Translations(folder: repository + "/Texts").keys(in: .english)

        for cause in RefusalCause.allCases {
            #expect(texts.contains("console.causes.\(cause.rawValue)"))
            #expect(texts.contains("console.cause-meanings.\(cause.rawValue)"))
        }
        for kind in TraceEvent.Kind.allCases { #expect(texts.contains("console.trace-events.\(kind.rawValue)")) }
    }

    @Test(arguments: [
        ("2026-11-20", 1_795_132_800), ("2024-02-29", 1_709_164_800), ("1970-01-01", 0), ("2026-02-30", nil),
        ("2026-1-1", nil), ("9999-12-31", 253_402_214_400), ("", nil), ("٢٠٢٦-11-20", nil),
    ]) func `reads days as browsers write them`(text: String, seconds: Int?) {
        #expect(Timestamp(day: text)?.seconds == seconds)
    }

    private static func authorize(_ query: String) -> String {
        "/t/ACMETEAM01/auth/authorize?client_id=com.acme.web&response_type=code&\(query)"
    }

    /// Sixteen hexadecimal digits in a `<code>`.
    private static func reference(on page: String) -> String? {
        page.split(separator: "<code>").compactMap { $0.split(separator: "</code>").first.map(String.init) }.first {
            $0.utf8.count == 16 && $0.allSatisfy(\.isHexDigit)
        }
    }

    private static func firstTrace(on page: String) -> String? {
        page.split(separator: "\"").map(String.init).first {
            $0.hasPrefix("/console/") && $0.split(separator: "/").last?.utf8.count == 28
        }
    }

    private static func count(_ page: String) -> Int {
        page.split(separator: "row-link", omittingEmptySubsequences: false).count - 1
    }
}
