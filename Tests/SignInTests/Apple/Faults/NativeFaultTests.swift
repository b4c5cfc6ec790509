import Core
import OAuth
import Platform
import Simulator
import Testing

@testable import TestTeams

/// What goes wrong at Apple while an app hands over what it got: nothing is lost, and the app learns what helps.
@Suite(.serialized, .shared(.apple)) struct `A fault of Apple's towards a native app` {
    init() async throws { try await site.reset() }

    private static let nonce = "the app's nonce"

    @Test(arguments: FaultCase.few(.native)) func `leaves what the table says, and the app goes on`(
        _ trouble: FaultCase
    ) async throws { try await Self.prove(trouble) }

    @Test(arguments: FaultCase.few(.codeAlone)) func `leaves what the table says where the app has no token`(
        _ trouble: FaultCase
    ) async throws { try await Self.prove(trouble) }

    fileprivate static func prove(_ trouble: FaultCase) async throws {
        var given: [String: String] = [:]
        let answer = try await site.disturbed(by: trouble) {
            given = try gift(trouble.way)
            return try site.handOver(given)
        }

        expect(trouble.outcome, in: answer)
        try site.expectTraces(of: trouble)
        try expectHandover(of: trouble)
        try await site.expectTrace(trouble.outcome)
        guard trouble.outcome != .done else { return }

        site.clock.advance(by: .seconds(2))
        let second = try site.handOver(given)
        expect(trouble.then, in: second)
        try await site.expectTrace(trouble.then)
        guard trouble.then != .done else { return }

        try signInAgain(after: trouble, with: given)
    }

    /// What Apple gives the app, as far as the app hands it over.
    private static func gift(_ way: FaultCase.Way) throws -> [String: String] {
        var given = try site.device(.regular, nonce: nonce)
        given["nonce"] = nonce
        if way == .codeAlone { (given["identity_token"], given["user"]) = (nil, nil) }
        return given
    }

    private static func expect(_ outcome: FaultCase.Outcome, in answer: Answer) {
        let error = answer.json["error"]?.string
        switch outcome {
        case .done:
            #expect(answer.status == 200 && answer.json["is_new_user"] == true)
            #expect(answer.json["user"]?["name"]?["firstName"] == "Rita")
        case .again:
            #expect(answer.status == 503 && error == "temporarily_unavailable")
            #expect(answer["Retry-After"] != nil)
        case .never(.upstreamClient): #expect(answer.status == 400 && error == "invalid_client")
        case .anew, .never: #expect(answer.status == 400 && error == "invalid_grant")
        }
        #expect(outcome == .done || !answer.body.contains("eyJ"))
    }

    /// What was handed over waits for another try, held by nobody, where that makes sense.
    private static func expectHandover(of trouble: FaultCase) throws {
        let isDone = trouble.outcome == .done
        let handovers = try site.admin(
            "SELECT settled_at IS NOT NULL, claimed_until <= created_at FROM native_handovers")
        let isKept = isDone || trouble.outcome.isWorthAnotherTry
        #expect(handovers == (isKept ? [[isDone ? "t" : "f", isDone ? "f" : "t"]] : []))
        let sessions = try site.admin("SELECT FROM refresh_tokens WHERE team_id = 'ACMETEAM01'")
        #expect(sessions.count == (isDone ? 1 : 0))
    }

    /// Signs in once more; Apple gives no name the second time, so the app sends what it has kept where it has to.
    private static func signInAgain(after trouble: FaultCase, with given: [String: String]) throws {
        var next = try gift(trouble.way)
        #expect(next["first_name"] == nil)
        if trouble.traces.isDisjoint(with: [.name, .waitingName]) {
            for name in ["first_name", "last_name", "email"] { next[name] = given[name] }
        }
        let answer = try site.handOver(next)
        #expect(answer.status == 200 && answer.json["user"]?["name"]?["firstName"] == "Rita")
        #expect(try site.announcements().isEmpty && site.names() == [["Rita", "Rita", "authorized"]])
    }
}

/// Each fault at each place.
@Suite(.apple) struct NativeFaultLongTests {
    @Test(arguments: FaultCase.native + FaultCase.codeAlone)
    func `a fault of Apple's towards a native app leaves what the table says`(_ trouble: FaultCase) async throws {
        try await `A fault of Apple's towards a native app`.prove(trouble)
    }
}
