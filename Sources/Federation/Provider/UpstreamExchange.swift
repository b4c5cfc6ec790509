public import Core
import OAuth

/// Request to a provider and its answer, without secrets, for the team's inspector.
public struct UpstreamExchange: Equatable, Sendable {
    /// The provider's answer.
    public struct Answer: Sendable {
        let status: String
        let error: String?
        let errorDescription: String?
        let fault: String?

        /// - Parameters:
        ///   - error: the provider's error code.
        ///   - fault: the fault that a simulator reports to have been configured with.
        public init(status: Int, error: String?, errorDescription: String?, fault: String?) {
            self.status = String(status)
            self.error = error
            self.errorDescription = errorDescription
            self.fault = fault
        }

        /// The provider's error code if it has the form of one, otherwise the length of the text.
        public static func word(_ error: String) -> String { Redaction.code(error) }

        /// Creates the record of a missing answer.
        ///
        /// - Parameter reason: short cause, without secrets.
        public init(noneBecause reason: String) {
            status = "(\(reason))"
            (error, errorDescription, fault) = (nil, nil, nil)
        }
    }

    let sent: [TraceAttribute]
    let answered: [TraceAttribute]

    /// - Parameters:
    ///   - url: URL at the provider, without user data.
    ///   - fields: the form; only the length of codes and secrets is kept, and the claims of a client secret.
    public init(of url: String, _ fields: [FormCoding.Field], answer: Answer) {
        let secrets = Self.secrets(in: fields)
        sent =
            [TraceAttribute("endpoint", url: url)] + TraceEvent.facts(of: fields) + TraceEvent.clientSecret(in: fields)
        answered =
            [TraceAttribute("status", answer.status)]
            + [
                answer.error.map { TraceAttribute("error", Self.harmless(Redaction.code($0), secrets)) },
                answer.errorDescription.map {
                    TraceAttribute("error_description", Self.harmless($0, secrets), limit: 200)
                }, answer.fault.map { TraceAttribute("fault", $0, limit: 40) },
            ].compactMap(\.self)
    }

    /// The provider's description of its error, unless it was withheld.
    var errorDescription: String? {
        answered.first { $0.name == "error_description" && $0.value != Redaction.withheld }?.value
    }

    /// Minimum length of a value that is searched for in an answer: shorter ones are protocol keywords.
    private static let secretLength = 16

    /// Values of which only the length is shown.
    private static func secrets(in fields: [FormCoding.Field]) -> [String] {
        zip(fields, TraceEvent.facts(of: fields)).filter { field, fact in
            field.value.utf8.count >= secretLength && fact.value == Redaction.length(of: field.value)
        }.map { field, _ in field.value }
    }

    /// Withholds a text that contains a secret, because an answer may repeat the request.
    private static func harmless(_ text: String, _ secrets: [String]) -> String {
        secrets.contains { text.contains($0) } ? Redaction.withheld : text
    }
}
