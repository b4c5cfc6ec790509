public import Bytes
public import Templates

/// One filter of a list that is in force, and the address of the list without it.
public struct ChipView: Sendable {
    public let label: Words
    public let value: Words
    public let removeURL: String

    public init(_ label: any Wording, _ value: any Wording, removeURL: String) {
        self.label = label.asWords
        self.value = value.asWords
        self.removeURL = removeURL
    }

    public static let fields = Fields<ChipView>()
        .words("label") { $0.label }
        .words("value") { $0.value }
        .text("removeURL") { $0.removeURL }
}
