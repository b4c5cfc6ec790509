public import Bytes

/// A job with its result, its last problem and the redacted payload.
public struct JobDetail: Sendable {
    public let summary: JobSummary
    /// Why the last attempt failed.
    public let problem: String?
    /// The payload without personal data and secrets.
    public let payload: JSONValue
    public let result: JSONValue?
}

extension JSONValue {
    /// The value without texts that may identify a user or be a secret; short identifiers remain.
    var redacted: JSONValue {
        switch self {
        case .null, .boolean, .integer, .number: self
        case .string(let text): .string(Self.redacted(text))
        case .array(let values): .array(values.map(\.redacted))
        case .object(let members): .object(members.mapValues(\.redacted))
        }
    }

    /// Keeps identifiers: letters, digits and joining punctuation, no address and nothing as long as a token.
    private static func redacted(_ text: String) -> String {
        let isName =
            text.utf8.count <= 40
            && text.utf8.allSatisfy { character in
                (0x30...0x39).contains(character) || (0x41...0x5A).contains(character)
                    || (0x61...0x7A).contains(character) || "-._:".utf8.contains(character)
            }
        return isName ? text : "(\(text.unicodeScalars.count) characters)"
    }
}
