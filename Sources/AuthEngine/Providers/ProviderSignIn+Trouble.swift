import Bytes
import Domain

// What goes wrong.
extension ProviderSignIn {
    /// The person does not want to, which is the app's to know; or the provider does not want us.
    func refused(_ error: String, _ arrival: Arrival) async throws -> Outcome {
        guard Self.isCancellation(error) else { throw Self.refusal(error) }
        try await trips.end(arrival.trip, in: arrival.team.id)
        let answer = try await flow.cancel(
            arrival.attempt,
            browserHash: arrival.browserHash,
            in: arrival.team.id,
            from: arrival.origin
        )
        return answer.map { .answered($0) } ?? .goOn(arrival.attempt.id)
    }

    static func isCancellation(_ error: String) -> Bool {
        error == "user_cancelled_authorize" || error == "access_denied"
    }

    static func refusal(_ error: String) -> ProviderFailure {
        ProviderFailure(
            .providerRefused,
            .none,
            because: "the provider answered the browser with \(Redaction.code(error))"
        )
    }

    static var incomplete: ProviderFailure {
        ProviderFailure(.providerAnswer, .anew, because: "the answer has neither a code nor an error")
    }

    static var otherPerson: ProviderFailure {
        ProviderFailure(.providerToken, .anew, because: "the code is about somebody else")
    }

    /// Tells the team why, and leaves what may be tried again; the rest is over, so that nobody has it refused twice.
    func fail(_ failure: ProviderFailure, _ arrival: Arrival) async throws -> Outcome {
        if failure.keepsAnswer {
            try await trips.release(arrival.claimed, in: arrival.team.id)
        } else {
            try await trips.end(arrival.trip, in: arrival.team.id)
        }
        let sent = Self.facts(of: arrival.answer)
        flow.flows.fail(failure, of: arrival.attempt, in: arrival.team.id, from: arrival.origin, sent: sent)
        return .failed(failure, arrival.attempt.id)
    }

    /// What the browser takes along to the provider.
    static func facts(ofURL url: String) -> [FlowFact] {
        let query = url.utf8.drop { $0 != UInt8(ascii: "?") }.dropFirst()
        return FlowStep.facts(of: (try? FormCoding.decode(query, maximumFields: 24)) ?? [])
    }

    static func facts(of answer: ProviderAnswer) -> [FlowFact] {
        let parts = [("code", answer.code), ("id_token", answer.idToken), ("user", answer.user)]
        return parts.compactMap { name, value in value.map { FlowFact(name, lengthOf: $0) } }
            + (answer.error.map { [FlowFact("error", code: $0)] } ?? [])
    }
}
