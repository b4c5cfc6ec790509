import Bytes
import Templates

/// One thing that happened in a trial, as its page shows it and as it is kept.
struct TrialStep: Codable, Sendable {
    enum Kind: String, Codable, Sendable {
        case good
        case bad
        case plain

        var icon: String {
            switch self {
            case .good: "check"
            case .bad: "close"
            case .plain: "circle"
            }
        }
    }

    let kind: Kind
    let title: String
    let explanation: String
    /// The answer's status, where there was an answer.
    var status: String?
    var tables: [Table] = []
    var raws: [Raw] = []

    init(
        _ kind: Kind,
        _ title: String,
        _ explanation: String,
        status: String? = nil,
        tables: [Table] = [],
        raws: [Raw] = []
    ) {
        self.kind = kind
        self.title = title
        self.explanation = explanation
        self.status = status
        self.tables = tables
        self.raws = raws
    }

    /// Names and values, such as the parameters of a request.
    struct Table: Codable, Sendable {
        let title: String
        let rows: [Row]
    }

    /// A value, with what there is to know of it.
    struct Row: Codable, Sendable {
        let name: String
        let value: String
        let note: String?

        /// PostgreSQL takes no NUL inside JSON, and whoever calls the return URL may send one.
        init(_ name: String, _ value: String, _ note: String? = nil) {
            self.name = name.replacingNUL
            self.value = value.replacingNUL
            self.note = note
        }
    }

    /// A text exactly as it was sent or answered.
    struct Raw: Codable, Sendable {
        let label: String
        let value: String

        init(_ label: String, _ value: String) {
            self.label = label
            self.value = value.replacingNUL
        }
    }
}

// What the template may use.
extension TrialStep {
    static let fields = Fields<TrialStep>()
        .text("kind") { $0.kind.rawValue }
        .text("icon") { $0.kind.icon }
        .text("title") { $0.title }
        .text("explanation") { $0.explanation }
        .optionalText("status") { $0.status }
        .list("tables", tableFields) { $0.tables }
        .list("raws", rawFields) { $0.raws }

    private static let tableFields = Fields<Table>()
        .text("title") { $0.title }
        .list("rows", rowFields) { $0.rows }

    private static let rowFields = Fields<Row>()
        .text("name") { $0.name }
        .text("value") { $0.value }
        .optionalText("note") { $0.note }

    private static let rawFields = Fields<Raw>()
        .text("label") { $0.label }
        .text("value") { $0.value }
}

extension String {
    fileprivate var replacingNUL: String {
        guard utf8.contains(0) else { return self }
        return String(String.UnicodeScalarView(unicodeScalars.map { $0.value == 0 ? "\u{2400}" : $0 }))
    }
}
