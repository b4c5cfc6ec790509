import Bytes
import Web

/// Why somebody does what cannot be undone, for the audit log.
struct Reason: Sendable {
    private static let limit = 500

    let typed: String
    /// As one line: without control characters, which PostgreSQL may refuse too.
    let text: String

    init(_ typed: String?) {
        self.typed = typed ?? ""
        let scalars = self.typed.unicodeScalars.map { scalar -> Unicode.Scalar in
            scalar.properties.isWhitespace || scalar.properties.generalCategory == .control ? " " : scalar
        }
        text = String(String.UnicodeScalarView(scalars)).trimmed
    }

    /// What is wrong with it.
    var problem: Phrase? {
        if text.isEmpty { return Phrase("console.confirm.reason.missing") }
        guard text.unicodeScalars.count > Self.limit else { return nil }
        return Phrase("console.confirm.reason.too-long", count: Self.limit)
    }
}
