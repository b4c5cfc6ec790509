import Core
import Crypto
import Platform
import Postgres
import Testing

@testable import Accounts
@testable import OAuth
@testable import TestTeams

@Suite struct `A trace` {
    @Test func `is kept from the app's request to its tokens, in one piece`() async throws {
        try await withEngine { engine in
            let answer = try await engine.signIn(to: .web, Engine.fullRequest)
            _ = try await engine.redeem(try #require(answer["code"]))
            let (trace, steps) = try await engine.onlyTrace()
            #expect(trace.clientID == .web && trace.subject == engine.ada && trace.outcome == .answered)
            #expect(trace.isRedeemed && trace.cause == nil && !trace.isTest)
            #expect(steps.map(\.kind) == [.authorization, .answered, .codeRedeemed])
            #expect(steps[0].sent.contains(TraceAttribute("redirect_uri", url: TestTeams.callback)))
            #expect(steps[0].origin.ip == TestTeams.origin.ip)
            #expect(steps[2].answered.contains(TraceAttribute("id_token.aud", "com.acme.web")))
        }
    }

    @Test func `tells the parameters that were sent, as they were sent`() async throws {
        try await withEngine { engine in
            let challenge = String(repeating: "A", count: 43)
            _ = try await engine.signIn(
                to: .web,
                [
                    "scope": "openid name", "response_mode": "form_post", "code_challenge": challenge,
                    "code_challenge_method": "S256", "login_hint": "ada@acme.example",
                ])
            let sent = try #require(try await engine.onlyTrace().events.first).sent
            #expect(sent.contains(TraceAttribute("scope", "openid name")))
            #expect(sent.contains(TraceAttribute("code_challenge_method", "S256")))
            #expect(sent.contains(TraceAttribute("code_challenge", "(43 octets)")))
            #expect(sent.contains(TraceAttribute("login_hint", "(16 octets)")))
        }
    }

    @Test func `V38: holds no code, token, state, nonce or secret`() async throws {
        try await withEngine { engine in
            let answer = try await engine.signIn(to: .web, Engine.fullRequest)
            let code = try #require(answer["code"])
            let secret = try engine.teams.secret(of: .web)
            let tokens = try await engine.redeem(code)
            try await engine.refuse(["code": code, "client_secret": secret, "code_verifier": "verifier-1"])
            await engine.traces.finish()

            let kept = try await engine.everythingKept()
            #expect(kept.contains("com.acme.web"))
            for secret in [
                code, secret, "state-1", "nonce-1", "verifier-1", tokens.refreshToken, tokens.accessToken,
                tokens.idToken, "Lovelace", "ada@acme.example",
            ] { #expect(!kept.contains(secret), "\(secret.prefix(8))") }
        }
    }

    @Test func `that never became a sign-in tells what was sent and the nearest that is registered`() async throws {
        try await withEngine { engine in
            let sent = [
                FormCoding.Field("client_id", "com.acme.web"),
                FormCoding.Field("redirect_uri", TestTeams.callback + "/?code=secret-1"),
                FormCoding.Field("password", "secret-2"),
            ]
            let refusal = AuthorizationRefusal(
                .invalidRequest, cause: .returnURLUnregistered, because: "not registered")
            engine.traces.refuse(refusal, of: sent, to: try await engine.snapshot(), from: .test)
            let (trace, steps) = try await engine.onlyTrace()
            let step = try #require(steps.first)
            #expect(trace.outcome == .failed && trace.cause == .returnURLUnregistered)
            #expect(step.known.contains { $0.name == "nearest" && $0.value == TestTeams.callback })
            #expect(step.known.filter { $0.name == "registered" }.count == 2)
            #expect(step.sent.contains { $0.value == TestTeams.callback + "/?code=…" })
            let kept = try await engine.everythingKept()
            #expect(!kept.contains("secret-1") && !kept.contains("secret-2"))
            let found = try await TraceListStore(engine.database).find(
                TestTeams.origin.requestID, in: .acme, at: engine.clock.now)
            #expect(found == trace.id)
        }
    }

    @Test func `takes up the refusal of its code, with what the client secret claims`() async throws {
        try await withEngine { engine in
            let code = try await engine.code()
            try await engine.refuse([
                "code": code, "client_secret": try engine.teams.secret(of: .web) { $0.claims["aud"] = "https://a" },
            ])
            let (trace, steps) = try await engine.onlyTrace()
            #expect(trace.outcome == .failed && trace.cause == .audienceWrong && trace.subject == engine.ada)
            #expect(steps.map(\.kind) == [.authorization, .answered, .tokenRefused])
            #expect(steps[2].sent.contains(TraceAttribute("client_secret.aud", "https://a")))
            #expect(steps[2].known.contains { $0.name == "client_secret.aud" && $0.value.hasSuffix("ACMETEAM01") })
        }
    }

    @Test(arguments: [true, false]) func `C10: keeps each refusal of its code, whichever loop writes first`(
        isAnswerFirst: Bool
    ) async throws {
        try await withEngine { engine in
            let others = (0..<3).map { _ in engine.anotherRecorder() }
            let code = try await engine.code()
            if isAnswerFirst { await engine.traces.finish() }
            let team = try await engine.snapshot()
            let causes = [RefusalCause.codeOfOtherReturnURL, .codeVerifierWrong, .codeOfOtherClient]
            let fields = [FormCoding.Field("client_id", "com.acme.web"), FormCoding.Field("code", code)]
            for (other, cause) in zip(others, causes) {
                engine.clock.advance(by: .milliseconds(1))
                let error = OAuthError(.invalidGrant, cause: cause, because: "refused")
                other.refuse(error, .tokenRefused, of: fields, to: team, from: .test)
                await other.finish()
            }
            let (trace, steps) = try await engine.onlyTrace()
            #expect(trace.outcome == .failed && trace.cause == .codeOfOtherClient)
            #expect(steps.first?.kind == .authorization && steps.contains { $0.kind == .answered })
            #expect(steps.filter { $0.kind == .tokenRefused }.map(\.cause) == causes)
        }
    }

    @Test func `is not read once it is older than thirty days`() async throws {
        try await withEngine { engine in
            _ = try await engine.code()
            await engine.traces.finish()
            engine.clock.advance(by: .seconds(31 * 86_400))

            #expect(try await engine.page().items.isEmpty)
        }
    }

    @Test func `S18, V43: fills no disk and hides no other: a flood is counted, not kept`() async throws {
        try await withEngine(limits: ["trace-events-of-cause": 3, "trace-events": 20]) { engine in
            let (team, request) = (try await engine.snapshot(), try await engine.authorize(.web, Engine.fullRequest))
            let refusals = [
                AuthorizationRefusal.unknownClient,
                AuthorizationRefusal(.invalidRequest, cause: .returnURLUnregistered, because: "not registered"),
            ]
            for refusal in refusals { for _ in 0..<50 { engine.traces.refuse(refusal, of: [], to: team, from: .test) } }
            func record(_ kind: TraceEvent.Kind, by subject: Subject? = nil) {
                let interaction = engine.interactions.open(request, browserHash: Engine.browser, in: .acme, from: .test)
                engine.traces.record(kind, of: interaction, by: subject, from: .test)
            }
            // Who goes to Apple and turns back is no failure, and a stranger still.
            for _ in 0..<50 { record(.sentToProvider) }
            for _ in 0..<5 { record(.proved, by: engine.ada) }
            await engine.traces.finish()

            let counts = try await engine.counts()
            #expect(counts["failure client_unknown"] == 50 && counts["unkept "] == 3 * 47)
            func kept(_ kind: String) throws -> Int {
                try engine.admin("SELECT FROM trace_events WHERE kind = $1", kind).count
            }
            #expect(try kept("sent_to_provider") == 3 && kept("proved") == 5)
            // Nor does somebody who is known.
            for _ in 0..<50 { record(.proved, by: engine.ada) }
            await engine.traces.finish()
            #expect(try kept("proved") <= 20)
        }
    }

    @Test func `is found by app, outcome, cause, person and time`() async throws {
        try await withEngine { engine in
            _ = try await engine.code(to: .web)
            engine.clock.advance(by: .seconds(60))
            _ = try await engine.code(for: engine.ben, to: .otherWeb)
            engine.traces.refuse(.unknownClient, of: [], to: try await engine.snapshot(), from: .test)
            await engine.traces.finish()
            let middle = engine.clock.now - .seconds(30)

            let expected: [(Int, (inout TraceFilter) -> Void)] = [
                (3, { _ in }), (1, { $0.client = .web }), (2, { $0.outcome = .answered }),
                (1, { $0.cause = .clientUnknown }), (0, { $0.cause = .codeUsed }), (1, { $0.subject = engine.ada }),
                (2, { $0.from = middle }), (1, { $0.until = middle }),
                (0, { ($0.client, $0.outcome) = (.web, .failed) }), (3, { $0.leavesOutTests = true }),
            ]
            for (index, (count, change)) in expected.enumerated() {
                var filter = TraceFilter()
                change(&filter)
                let page = try await engine.page(matching: filter)
                #expect(page.items.count == count && page.total == count, "\(index)")
            }
            try engine.admin("UPDATE traces SET is_test = true WHERE client_id = 'com.acme.web'")
            var others = TraceFilter()
            others.leavesOutTests = true
            #expect(try await engine.page(matching: others).items.count == 2)
            let first = try await engine.page(limit: 2)
            let cursor = try #require(first.next)
            let second = try await engine.page(after: cursor, limit: 2)
            #expect(second.items.count == 1 && second.next == nil)
        }
    }

    @Test func `that finds no room is dropped, and the drop is counted`() async throws {
        var buffer = TraceBuffer()
        for number in 0..<TraceBuffer.capacity + 5 {
            buffer.add(PendingTrace(TraceID(ofRequest: "\(number)", at: Timestamp(seconds: 1))), of: .acme)
        }
        #expect(buffer.count == TraceBuffer.capacity && buffer.dropped == 5)
        #expect(buffer.drain().first?.traces.count == TraceBuffer.capacity)
        #expect(buffer.count == 0)
    }
}

extension AuthorizationRefusal {
    fileprivate static let unknownClient = AuthorizationRefusal(
        .invalidClient, cause: .clientUnknown, because: "nobody")
}

// Reading back.
extension Engine {
    func page(matching filter: TraceFilter = TraceFilter(), after cursor: ListCursor? = nil, limit: Int = 50)
        async throws -> Page<SignInTrace>
    {
        try await TraceListStore(teams.database).page(
            in: .acme, matching: filter, after: cursor, limit: limit, at: clock.now)
    }

    /// The one trace there is, once all is kept, and its events.
    fileprivate func onlyTrace() async throws -> (SignInTrace, events: [TraceEvent]) {
        await traces.finish()
        let page = try await page()
        #expect(page.items.count == 1 && page.total == 1)
        let trace = try #require(page.items.first)
        return (trace, try #require(try await TraceDetailStore(teams.database).find(trace.id, in: .acme)).events)
    }

    /// Has the token endpoint refuse a request, as its address does.
    fileprivate func refuse(_ fields: [String: String]) async throws {
        let fields = fields.merging(["client_id": "com.acme.web", "grant_type": "authorization_code"]) { $1 }
        let coded = fields.compactMap { field in FieldName(field.key).map { FormCoding.Field($0, field.value) } }
        let team = try await snapshot()
        do {
            _ = try await respond(at: tokens, to: try ProtocolParameters(coded), of: team)
            Issue.record("no refusal")
        } catch let error as OAuthError { traces.refuse(error, .tokenRefused, of: coded, to: team, from: .test) }
    }

    /// Every text of the tables, beyond the wall.
    fileprivate func everythingKept() async throws -> String {
        let rows = try teams.admin(
            "SELECT traces::text FROM traces UNION ALL SELECT trace_events::text FROM trace_events")
        return rows.compactMap { $0[0] }.joined(separator: "\n")
    }

    func counts() async throws -> [String: Int] {
        let rows = try teams.admin("SELECT measure || ' ' || subject, count::text FROM daily_counts")
        return Dictionary(uniqueKeysWithValues: rows.map { ($0[0] ?? "", Int($0[1] ?? "") ?? 0) })
    }
}
