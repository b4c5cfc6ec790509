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
    let title: Words
    let explanation: Words
    /// The answer's status, where there was an answer.
    var status: String?
    var tables: [Table] = []
    var raws: [Raw] = []

    init(
        _ kind: Kind,
        _ title: any Wording,
        _ explanation: any Wording,
        status: String? = nil,
        tables: [Table] = [],
        raws: [Raw] = []
    ) {
        self.kind = kind
        self.title = title.asWords
        self.explanation = explanation.asWords
        self.status = status
        self.tables = tables
        self.raws = raws
    }

    /// Names and values, such as the parameters of a request.
    struct Table: Codable, Sendable {
        let title: Words
        let rows: [Row]

        init(title: any Wording, rows: [Row]) {
            self.title = title.asWords
            self.rows = rows
        }
    }

    /// A value, with what there is to know of it.
    struct Row: Codable, Sendable {
        let name: String
        let value: Words
        let note: Words?

        /// PostgreSQL takes no NUL inside JSON, and whoever calls the return URL may send one.
        init(_ name: String, _ value: String, _ note: (any Wording)? = nil) {
            self.name = name.replacingNUL
            self.value = .verbatim(value.replacingNUL)
            self.note = note?.asWords
        }

        /// A value that is told instead of shown.
        init(_ name: String, _ value: Phrase) {
            self.name = name
            self.value = value.asWords
            note = nil
        }
    }

    /// A text exactly as it was sent or answered.
    struct Raw: Codable, Sendable {
        let label: Words
        let value: String

        init(_ label: any Wording, _ value: String) {
            self.label = label.asWords
            self.value = value.replacingNUL
        }
    }
}

// What the template may use.
extension TrialStep {
    static let fields = Fields<TrialStep>()
        .text("kind") { $0.kind.rawValue }
        .text("icon") { $0.kind.icon }
        .words("title") { $0.title }
        .words("explanation") { $0.explanation }
        .optionalText("status") { $0.status }
        .list("tables", tableFields) { $0.tables }
        .list("raws", rawFields) { $0.raws }

    private static let tableFields = Fields<Table>()
        .words("title") { $0.title }
        .list("rows", rowFields) { $0.rows }

    private static let rowFields = Fields<Row>()
        .text("name") { $0.name }
        .words("value") { $0.value }
        .optionalWords("note") { $0.note }

    private static let rawFields = Fields<Raw>()
        .words("label") { $0.label }
        .text("value") { $0.value }
}

extension String {
    fileprivate var replacingNUL: String {
        guard utf8.contains(0) else { return self }
        return String(String.UnicodeScalarView(unicodeScalars.map { $0.value == 0 ? "\u{2400}" : $0 }))
    }
}
