import Core

/// A name and a value of a trace event, with secrets removed.
public struct TraceAttribute: Codable, Hashable, Sendable {
    public let name: String
    public let value: String

    /// Size in octets in the stored JSON, including punctuation.
    var octets: Int { JSONWriter.octets(of: name) + JSONWriter.octets(of: value) + 6 }

    /// An attribute as stored.
    public init(stored name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    /// A text as received, without control characters and cut to a number of octets.
    ///
    /// Only for values that are not secret: identifiers, URLs without their queries, protocol keywords.
    public init(_ name: String, _ text: String, limit: Int = 300) {
        self.name = name
        value = Redaction.text(text, limit: limit)
    }

    /// A protocol keyword from another party; of a text without the form of one, only its length.
    public init(_ name: String, code text: String) {
        self.name = name
        value = Redaction.code(text)
    }

    /// The presence of a private value, represented by its length.
    public init(_ name: String, lengthOf text: String) {
        self.name = name
        value = Redaction.length(of: text)
    }

    /// A URL, with the values in its query removed.
    public init(_ name: String, url: String) {
        self.name = name
        value = Redaction.url(url)
    }
}
