/// Path of this site for a redirect; texts that could lead to another site are rejected.
struct LocalPath: Sendable {
    let text: String

    init?(_ text: String?) {
        guard let text, text.utf8.count <= 1024, text.hasPrefix("/"), !text.hasPrefix("//"), !text.contains("\\"),
            text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { return nil }
        self.text = text
    }
}
