import Core

/// Reason for an irreversible action, as stored in the audit log.
struct Reason: Sendable {
    private static let limit = 500

    let typed: String
    /// The reason as one line: control characters, some of which PostgreSQL rejects, are replaced by spaces.
    let text: String

    init(_ typed: String?) {
        self.typed = typed ?? ""
        let scalars = self.typed.unicodeScalars.map { scalar -> Unicode.Scalar in
            scalar.properties.isWhitespace || scalar.properties.generalCategory == .control ? " " : scalar
        }
        text = String(String.UnicodeScalarView(scalars)).trimmed
    }

    /// Validation error, or nil.
    var problem: Message? {
        if text.isEmpty { return Message("console.confirm.reason.missing") }
        guard text.unicodeScalars.count > Self.limit else { return nil }
        return Message("console.confirm.reason.too-long", count: Self.limit)
    }
}
