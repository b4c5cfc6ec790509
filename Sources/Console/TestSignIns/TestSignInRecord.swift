import Core
import SignIn

/// Result of a test sign-in: its steps and its outcome.
struct TestSignInRecord: Sendable {
    enum Outcome: String, CaseIterable, Sendable {
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

/// Badge, summary and steps of a test sign-in in its current state.
struct TestSignInNarrative: Sendable {
    let badge: BadgeView
    let summary: Message
    let steps: [TestSignInStep]

    /// A finished test sign-in.
    init(_ record: TestSignInRecord) {
        steps = record.steps
        let outcome = record.outcome
        badge = BadgeView(
            outcome, in: "console.test-sign-ins.outcome", good: [.completed], warn: [.cancelled], bad: [.failed])
        summary = Message(in: "console.test-sign-ins.outcome", outcome.rawValue + ".about")
    }

    /// A test sign-in without a response: still running, or expired.
    init(waiting request: TestSignInRequest, until end: Timestamp, at moment: Timestamp) {
        if moment < end {
            badge = BadgeView(.plain, Message("console.test-sign-ins.running"))
            summary = Message("console.test-sign-ins.running.about")
            let step = TestSignInStep(
                .plain, Message("console.test-sign-ins.waiting"),
                Message("console.test-sign-ins.waiting.about", ["end": end]))
            steps = [request.step, step]
        } else {
            badge = BadgeView(.bad, Message("console.test-sign-ins.outcome.failed"))
            summary = Message("console.test-sign-ins.too-late")
            let step = TestSignInStep(
                .bad, Message("console.test-sign-ins.void"), Message("console.test-sign-ins.void.about", ["end": end]))
            steps = [request.step, step]
        }
    }
}
