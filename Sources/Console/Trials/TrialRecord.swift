import Bytes

/// What a trial came to: its steps, and how the last of them ended.
struct TrialRecord: Sendable {
    enum Outcome: String, Sendable {
        case completed
        case cancelled
        case failed
    }

    let outcome: Outcome
    let steps: [TrialStep]

    init(_ outcome: Outcome, _ steps: [TrialStep]) {
        self.outcome = outcome
        self.steps = steps
    }

    /// Reads what `stored` wrote; nil when the trial has not come to anything yet.
    init?(stored text: String) throws(JSON.Failure) {
        let entries = try JSON.decode([Entry].self, from: Array(text.utf8))
        guard let last = entries.last else { return nil }
        outcome = last.outcome.flatMap(Outcome.init(rawValue:)) ?? .failed
        steps = entries.map(\.step)
    }

    /// A JSON array; the last entry tells the outcome.
    var stored: String {
        let entries = steps.enumerated().map { index, step in
            Entry(step: step, outcome: index == steps.count - 1 ? outcome.rawValue : nil)
        }
        return String(decoding: JSON.encode(entries), as: UTF8.self)
    }

    private struct Entry: Codable {
        let step: TrialStep
        let outcome: String?
    }
}
