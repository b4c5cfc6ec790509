import Bytes

/// Result of a test sign-in: its steps and its outcome.
struct TestSignInRecord: Sendable {
    enum Outcome: String, Sendable {
        case completed
        case cancelled
        case failed
    }

    let outcome: Outcome
    let steps: [TestSignInStep]

    init(_ outcome: Outcome, _ steps: [TestSignInStep]) {
        self.outcome = outcome
        self.steps = steps
    }

    /// Decodes `stored`; nil while the test sign-in has no result.
    init?(stored text: String) throws(JSON.Failure) {
        let entries = try JSON.decode([Entry].self, from: Array(text.utf8))
        guard let last = entries.last else { return nil }
        outcome = last.outcome.flatMap(Outcome.init(rawValue:)) ?? .failed
        steps = entries.map(\.step)
    }

    /// JSON array of the steps, the last of which has the outcome.
    var stored: String {
        let entries = steps.enumerated().map { index, step in
            Entry(step: step, outcome: index == steps.count - 1 ? outcome.rawValue : nil)
        }
        return String(decoding: JSON.encode(entries), as: UTF8.self)
    }

    private struct Entry: Codable {
        let step: TestSignInStep
        let outcome: String?
    }
}
