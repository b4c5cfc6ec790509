import OAuth
import Platform
import Simulator
import Testing

@testable import TestTeams

/// What goes wrong at Apple while a browser signs in: nothing is lost, the person learns what helps, the team why.
@Suite(.serialized, .shared(.apple)) struct `A fault of Apple's on the web` {
    init() async throws { try await site.reset() }

    @Test(arguments: FaultCase.web) func `leaves what the table says, and the person goes on`(_ trouble: FaultCase)
        async throws
    {
        let browser = site.browser()
        var back = ""
        let page = try await site.disturbed(by: trouble) {
            let answer = try browser.choose(.regular, on: try browser.goToApple())
            back = try browser.postBack(answer)
            return try browser.get(back)
        }

        trouble.outcome.expect(on: page)
        try site.expectTraces(of: trouble)
        try Self.expectUpstreamRequest(of: trouble)
        try await site.expectTrace(trouble.outcome)
        guard trouble.outcome != .done else { return }

        site.clock.advance(by: .seconds(2))
        let second = try browser.get(back)
        guard trouble.outcome.isWorthAnotherTry else {
            #expect(second.status == 410)
            return try Self.signInAgain(from: page, after: trouble, in: browser)
        }
        trouble.then.expect(on: second)
        try await site.expectTrace(trouble.then)
        guard trouble.then != .done else {
            #expect(second.value(of: "user")?.contains("Rita") == true)
            return
        }
        try Self.signInAgain(from: second, after: trouble, in: browser)
    }

    /// What Apple said waits for another try, held by nobody, where that makes sense.
    private static func expectUpstreamRequest(of trouble: FaultCase) throws {
        let upstreamRequests = try site.admin(
            "SELECT answer_sealed IS NOT NULL, claimed_until IS NULL FROM upstream_requests")
        #expect(upstreamRequests == (trouble.outcome.isWorthAnotherTry ? [["t", "t"]] : []))
        let codes = try site.admin("SELECT FROM authorization_codes WHERE team_id = 'ACMETEAM01'")
        #expect(codes.count == (trouble.outcome == .done ? 1 : 0))
    }

    /// By the page's own link where it has one, else by the app.
    private static func signInAgain(from page: Answer, after trouble: FaultCase, in browser: Browser) throws {
        let exit: Answer
        if let link = page.link("/apple") {
            let answer = try browser.choose(.regular, on: try browser.goOnToApple(link))
            exit = try browser.get(try browser.postBack(answer))
        } else {
            exit = try site.browser().signInAtApple(.regular)
        }
        #expect(exit.value(of: "code") != nil)
        let isDelivered = exit.value(of: "user")?.contains("Rita") == true
        #expect(isDelivered == trouble.traces.contains(.name))
    }

    @Test func `that is a new key is none: the key is fetched`() throws {
        _ = try site.browser().signInAtApple(.regular)
        site.clock.advance(by: .seconds(60))
        site.script.set(.newKey, at: .token)
        #expect(try site.browser().signInAtApple(.regular).value(of: "code") != nil)
    }

    @Test(arguments: [
        (Fault.expired, RefusalCause.upstreamExpired), (.otherNonce, .upstreamNonce), (.otherIssuer, .upstreamIssuer),
    ]) func `of a token is its only one, however lately Apple’s keys were fetched`(
        _ fault: Fault, _ cause: RefusalCause
    ) async throws {
        _ = try site.browser().signInAtApple(.regular)
        site.clock.advance(by: .seconds(1))
        site.script.set(fault, at: .token)
        _ = try site.browser().signInAtApple(.regular)
        try await site.expectNewest("failed", cause)
    }
}

extension FaultCase.Outcome {
    /// The page has what helps: the same answer again, another one, or neither.
    func expect(on page: Answer) {
        let leadsBack = page.body.contains("\(Browser.callback)?state=")
        let leadsToApple = page.link("/apple") != nil
        switch self {
        case .done: #expect(page.status == 200 && page.value(of: "code") != nil)
        case .again: #expect(page.status == 503 && leadsBack && !leadsToApple && page["Retry-After"] != nil)
        case .anew: #expect(page.status == 400 && leadsToApple && !leadsBack)
        case .never: #expect(page.status == 400 && !leadsToApple && !leadsBack)
        }
        guard self != .done else { return }
        #expect(page.reference != nil)
        #expect(!page.body.contains("Error") && !page.body.contains("eyJ"))
    }
}

extension TestSite {
    /// Has it go wrong once while something is asked for.
    func disturbed(by trouble: FaultCase, _ ask: () throws -> Answer) async throws -> Answer {
        let (fault, place) = (trouble.fault, trouble.place)
        script.set(fault, at: place)
        guard fault == .slow || fault == .silent else { return try ask() }
        let end = Task {
            try await wait(isHasty: false) { script.heldCount(at: place) == 1 }
            if fault == .silent { try await timeOut() } else { script.release(place) }
        }
        defer { end.cancel() }
        let answer = try ask()
        #expect(script.fault(at: place) == nil, "Apple was not asked")
        return answer
    }

    /// What is stored of the person and their tokens, and what Apple knows of its code.
    func expectTraces(of trouble: FaultCase) throws {
        let vault = try teams.admin(
            "SELECT form_given_name, form_family_name FROM upstream_identities WHERE team_id = 'ACMETEAM01'")
        #expect(vault == (trouble.traces.contains(.name) ? [["Rita", "Regular"]] : []))
        let people = try teams.admin(
            "SELECT given_name FROM users WHERE team_id = 'ACMETEAM01' AND sub = $1", Performer.regular.subject.rawValue
        )
        #expect(people == (trouble.traces.contains(.name) ? [["Rita"]] : []))
        let waiting = try announcements().map { $0[0] }
        #expect(waiting == (trouble.traces.contains(.waitingName) ? ["Rita"] : []))
        // Where nobody can say whose it is, it is given back at once.
        let state = people.isEmpty ? "ending" : "live"
        #expect(try tokenStates() == (trouble.traces.contains(.token) ? [state] : []))
        let codes = try teams.admin(
            "SELECT redeemed_at IS NOT NULL FROM authorization_codes WHERE team_id = 'APPLESIM00'")
        #expect(codes == [[trouble.traces.contains(.spentCode) ? "t" : "f"]])
    }

    func expectNewest(_ outcome: String, _ cause: RefusalCause?) async throws {
        try await flush()
        let newest = "SELECT outcome, cause FROM traces WHERE team_id = 'ACMETEAM01' ORDER BY trace_id DESC LIMIT 1"
        #expect(try teams.admin(newest) == [[outcome, cause?.rawValue]])
    }

    /// The newest trace in the team's inspector: how it stands and why, with a reason that holds no secret.
    func expectTrace(_ outcome: FaultCase.Outcome) async throws {
        try await expectNewest(outcome == .done ? "answered" : "failed", outcome.cause)
        guard let cause = outcome.cause else { return }
        let steps = try teams.admin(
            "SELECT event FROM trace_events UNION ALL SELECT opening FROM traces WHERE team_id = 'ACMETEAM01'"
        ).compactMap { $0[0] }
        #expect(steps.contains { $0.contains("\"\(cause.rawValue)\"") && $0.contains("\"reason\"") })
        #expect(!steps.contains { $0.contains("eyJ") || $0.contains("Rita") })
        #expect(lines.all.contains { $0.contains("\"cause\":\"\(cause.rawValue)\"") })
    }
}
