import Core
import OAuth
import Platform

// Errors and failures.
extension FederatedSignIn {
    /// Handles the provider's error: a cancellation by the user is reported to the app, any other error is thrown.
    func refused(_ error: String, _ login: Login) async throws -> Outcome {
        guard Self.isCancellation(error) else { throw Self.refusal(error) }
        try await upstreamRequests.end(login.upstreamRequest, in: login.team.id)
        let answer = try await interactions.cancel(
            login.interaction, browserHash: login.browserHash, in: login.team.id, from: login.origin)
        return answer.map { .answered($0) } ?? .redirectToInteraction(login.interaction.id)
    }

    static func isCancellation(_ error: String) -> Bool {
        error == "user_cancelled_authorize" || error == "access_denied"
    }

    static func refusal(_ error: String) -> UpstreamFailure {
        UpstreamFailure(
            .providerRefused, .none, because: "the provider answered the browser with \(Redaction.code(error))")
    }

    static var incomplete: UpstreamFailure {
        UpstreamFailure(.providerAnswer, .anew, because: "the answer has neither a code nor an error")
    }

    static var otherPerson: UpstreamFailure {
        UpstreamFailure(.providerToken, .anew, because: "the code is about somebody else")
    }

    /// Records a failure for the inspector; releases an answer that may be tried again, otherwise ends the upstream
    /// request.
    func fail(_ failure: UpstreamFailure, _ login: Login) async throws -> Outcome {
        if failure.keepsAnswer {
            try await upstreamRequests.release(login.claimed, in: login.team.id)
        } else {
            try await upstreamRequests.end(login.upstreamRequest, in: login.team.id)
        }
        let sent = Self.facts(of: login.answer)
        interactions.traces.fail(failure, of: login.interaction, in: login.team.id, from: login.origin, sent: sent)
        return .failed(failure, login.interaction.id)
    }

    /// Parameters that the browser carries to the provider.
    static func facts(ofURL url: String) -> [TraceAttribute] {
        let query = url.utf8.drop { $0 != UInt8(ascii: "?") }.dropFirst()
        return TraceEvent.facts(of: (try? FormCoding.decode(query, maximumFields: 24)) ?? [])
    }

    static func facts(of answer: UpstreamResponse) -> [TraceAttribute] {
        let parts = [("code", answer.code), ("id_token", answer.idToken), ("user", answer.user)]
        return parts.compactMap { name, value in value.map { TraceAttribute(name, lengthOf: $0) } }
            + (answer.error.map { [TraceAttribute("error", code: $0)] } ?? [])
    }
}
