/// A path of this site to go on to; anything that could lead elsewhere is none.
struct LocalPath: Sendable {
    let text: String

    init?(_ text: String?) {
        guard let text, text.utf8.count <= 1024, text.hasPrefix("/"), !text.hasPrefix("//"),
            !text.contains("\\"), text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { return nil }
        self.text = text
    }
}
