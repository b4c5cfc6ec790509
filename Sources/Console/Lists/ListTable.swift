import Core
import Templates

/// Rows with columns.
struct ListTable: Sendable {
    struct Column: Sendable {
        let label: Message
        /// Whether it is left out on a phone.
        let isWide: Bool
        /// Whether only screen readers say its label.
        var isUnnamed = false

        init(_ label: Message, isWide: Bool = false, isUnnamed: Bool = false) {
            self.label = label
            self.isWide = isWide
            self.isUnnamed = isUnnamed
        }

        static let fields = Fields<Column> {
            $0.words("label") { $0.label }
            $0.flag("wide") { $0.isWide }
            $0.flag("unnamed") { $0.isUnnamed }
        }
    }

    private struct Cell: Sendable {
        let parts: [RowPart]
        let isWide: Bool

        static let fields = Fields<Cell> {
            $0.list("parts", RowPart.fields) { $0.parts }
            $0.flag("wideCell") { $0.isWide }
        }
    }

    private let columns: [Column]
    private let rows: [[Cell]]

    /// - Parameter rows: the cells of each row, one for each column.
    init(_ columns: [Column], _ rows: [[[RowPart?]]]) {
        self.columns = columns
        self.rows = rows.map { row in zip(columns, row).map { Cell(parts: $1.compactMap(\.self), isWide: $0.isWide) } }
    }

    var isEmpty: Bool { rows.isEmpty }

    static let fields = Fields<ListTable> {
        $0.list("columns", Column.fields) { $0.columns }
        $0.list("lines", Fields<[Cell]> { $0.list("cells", Cell.fields) { $0 } }) { $0.rows }
    }
}
