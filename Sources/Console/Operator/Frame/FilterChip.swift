import Bytes
import Templates

/// One thing a list is narrowed to, with the address of the list without it.
struct FilterChip: Sendable {
    let name: Words
    let value: String
    let removeURL: String

    init(_ name: any Wording, _ value: String, removeURL: String) {
        self.name = name.asWords
        self.value = value
        self.removeURL = removeURL
    }

    static let fields = Fields<FilterChip>()
        .words("name") { $0.name }
        .text("value") { $0.value }
        .text("removeURL") { $0.removeURL }
}
