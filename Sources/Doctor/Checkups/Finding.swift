public import Bytes

/// One thing that a check-up looked at, in words.
public struct Finding: Sendable {
    public enum Verdict: String, CaseIterable, Sendable {
        case good
        /// Nothing to be done now, or nothing that can be seen from here.
        case note
        case wrong
    }

    public let verdict: Verdict
    /// What was looked at.
    public let subject: Words
    /// What was seen.
    public let message: Words
    /// What to do, the first thing first.
    public let advice: [Words]

    init(
        _ verdict: Verdict,
        _ subject: any Wording,
        _ message: any Wording,
        advice: [any Wording] = []
    ) {
        self.verdict = verdict
        self.subject = subject.asWords
        self.message = message.asWords
        self.advice = advice.map(\.asWords)
    }
}
