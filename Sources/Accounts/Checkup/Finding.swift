public import Core

/// Result of checking one subject in a check-up, as localized texts.
public struct Finding: Sendable {
    public enum Verdict: String, CaseIterable, Sendable {
        case good
        /// No action required, or nothing that can be verified from here.
        case note
        case wrong
    }

    public let verdict: Verdict
    /// The object that was checked.
    public let subject: LocalizedText
    /// The result of the check.
    public let message: LocalizedText
    /// The remedies, in the order in which to apply them.
    public let advice: [LocalizedText]

    /// Creates the result of a check.
    public init(
        _ verdict: Verdict, _ subject: any LocalizedTextConvertible, _ message: any LocalizedTextConvertible,
        advice: [any LocalizedTextConvertible] = []
    ) {
        self.verdict = verdict
        self.subject = subject.localizedText
        self.message = message.localizedText
        self.advice = advice.map(\.localizedText)
    }

    /// An address that does not answer as it should.
    static func silent(_ subject: Message, _ url: String, _ reason: Message) -> Finding {
        Finding(
            .wrong, subject, Message("console.checkup.way-in.silent", ["url": url, "reason": reason]),
            advice: [Message("console.checkup.way-in.silent.advice")])
    }
}
