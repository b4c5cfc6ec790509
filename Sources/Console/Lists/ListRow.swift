import Core
import Templates

/// A row of a list: what it is about, and at its end what is known of it.
final class ListRow: Sendable {
    let title: LocalizedText
    /// Page of what the row is about, which a click anywhere in the row opens.
    let url: String?
    /// What a screen reader says after the title, where several rows have the same.
    let hidden: LocalizedText?
    /// Identifiers below the title.
    let codes: [String]
    /// Lines below the title.
    let notes: [RowPart]
    let end: [RowPart]
    /// Letter in front of the row.
    let initial: String?
    /// Whether the row is about a person, whose letter is in a circle.
    let isPerson: Bool
    /// Whether an arrow at the end says that the row opens a page.
    let hasArrow: Bool

    init(
        _ title: any LocalizedTextConvertible, at url: String? = nil, for hidden: LocalizedText? = nil,
        codes: [String] = [], notes: [RowPart?] = [], end: [RowPart?] = [], initial: String? = nil,
        isPerson: Bool = false, hasArrow: Bool = true
    ) {
        self.title = title.localizedText
        self.url = url
        self.hidden = hidden
        self.codes = codes
        self.notes = Self.present(notes)
        self.end = Self.present(end)
        self.initial = initial
        self.isPerson = isPerson
        self.hasArrow = hasArrow && url != nil
    }

    private static func present(_ parts: [RowPart?]) -> [RowPart] {
        var present: [RowPart] = []
        present.reserveCapacity(parts.count)
        for case let part? in parts { present.append(part) }
        return present
    }

    static let fields = Fields<ListRow> {
        $0.words("title") { $0.title }
        $0.optionalText("url") { $0.url }
        $0.optionalWords("hidden") { $0.hidden }
        $0.list("codes", Fields<String> { $0.text("text") { $0 } }) { $0.codes }
        $0.list("notes", RowPart.fields) { $0.notes }
        $0.list("end", RowPart.fields) { $0.end }
        $0.optionalText("initial") { $0.initial }
        $0.flag("person") { $0.isPerson }
        $0.flag("arrow") { $0.hasArrow }
    }
}

extension Fields {
    /// Declares rows as a group with the list `rows`; the group is absent if there are none.
    mutating func rows(_ name: String, _ read: @escaping @Sendable (Value) -> [ListRow]) {
        optionalGroup(name, Fields<[ListRow]> { $0.list("rows", ListRow.fields) { $0 } }) { value in
            let rows = read(value)
            return rows.isEmpty ? nil : rows
        }
    }

    /// Declares a table as a group, which is absent if the table has no rows.
    mutating func table(_ name: String, _ read: @escaping @Sendable (Value) -> ListTable) {
        optionalGroup(name, ListTable.fields) { value in
            let table = read(value)
            return table.isEmpty ? nil : table
        }
    }
}
