import Core

/// Reason for an irreversible action, as stored in the audit log.
struct Reason: Sendable {
    private static let limit = 500

    let typed: String
    /// The reason as one line.
    let text: String

    init(_ typed: String?) {
        self.typed = typed ?? ""
        text = self.typed.typedLine
    }

    /// Validation error, or nil.
    var problem: Message? {
        if text.isEmpty { return Message("console.confirm.reason.missing") }
        guard text.unicodeScalars.count > Self.limit else { return nil }
        return Message("console.confirm.reason.too-long", count: Self.limit)
    }
}
