public import Bytes

/// What was asked of a provider and what came back, as far as it is no secret: for the team's inspector.
public struct ProviderExchange: Equatable, Sendable {
    /// What the provider answered.
    public struct Answer: Sendable {
        let status: String
        let error: String?
        let errorDescription: String?
        let fault: String?

        /// - Parameters:
        ///   - error: the provider's word for a refusal.
        ///   - fault: which of its faults a stand-in says it was told to have.
        public init(status: Int, error: String?, errorDescription: String?, fault: String?) {
            self.status = String(status)
            self.error = error
            self.errorDescription = errorDescription
            self.fault = fault
        }

        /// The provider's word for a refusal where it has the shape of one, else how long the text is.
        public static func word(_ error: String) -> String { Redaction.code(error) }

        /// No answer at all.
        ///
        /// - Parameter reason: why, in a few words without a secret.
        public init(noneBecause reason: String) {
            status = "(\(reason))"
            (error, errorDescription, fault) = (nil, nil, nil)
        }
    }

    let sent: [FlowFact]
    let answered: [FlowFact]

    /// - Parameters:
    ///   - url: of the provider, without anything of a person.
    ///   - fields: of the form; of codes and secrets no more than their length is kept, of a client secret what it
    ///     claims.
    public init(of url: String, _ fields: [FormCoding.Field], answer: Answer) {
        let secrets = Self.secrets(in: fields)
        sent =
            [FlowFact("endpoint", url: url)] + FlowStep.facts(of: fields) + FlowStep.clientSecret(in: fields)
        answered =
            [FlowFact("status", answer.status)]
            + [
                answer.error.map { FlowFact("error", Self.harmless(Redaction.code($0), secrets)) },
                answer.errorDescription.map {
                    FlowFact("error_description", Self.harmless($0, secrets), limit: 200)
                },
                answer.fault.map { FlowFact("fault", $0, limit: 40) },
            ].compactMap(\.self)
    }

    /// The shortest value that is looked for in an answer: shorter ones are words of the protocol.
    private static let secretLength = 16

    /// The values of which no more than their length is told.
    private static func secrets(in fields: [FormCoding.Field]) -> [String] {
        zip(fields, FlowStep.facts(of: fields))
            .filter { field, fact in
                field.value.utf8.count >= secretLength && fact.value == Redaction.length(of: field.value)
            }
            .map { field, _ in field.value }
    }

    /// An answer may repeat what it was asked.
    private static func harmless(_ text: String, _ secrets: [String]) -> String {
        secrets.contains { text.contains($0) } ? Redaction.withheld : text
    }
}
