import Core
import Templates

/// A step of a test sign-in, as shown on its page and stored as JSON.
struct TestSignInStep: Codable, Sendable {
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
    let title: LocalizedText
    let explanation: LocalizedText
    /// HTTP status of the response; nil without a response.
    var status: String?
    var tables: [Table] = []
    var raws: [Raw] = []

    init(
        _ kind: Kind, _ title: any LocalizedTextConvertible, _ explanation: any LocalizedTextConvertible,
        status: String? = nil, tables: [Table] = [], raws: [Raw] = []
    ) {
        self.kind = kind
        self.title = title.localizedText
        self.explanation = explanation.localizedText
        self.status = status
        self.tables = tables
        self.raws = raws
    }

    /// Names and values, such as the parameters of a request.
    struct Table: Codable, Sendable {
        let title: LocalizedText
        let rows: [Row]

        init(title: any LocalizedTextConvertible, rows: [Row]) {
            self.title = title.localizedText
            self.rows = rows
        }
    }

    /// A name and value with an optional explanation.
    struct Row: Codable, Sendable {
        let name: String
        let value: LocalizedText
        let note: LocalizedText?

        /// A row with a literal value, without NUL: requests may contain it, but PostgreSQL rejects it in JSON.
        init(_ name: String, _ value: String, _ note: (any LocalizedTextConvertible)? = nil) {
            self.name = name.replacingNUL
            self.value = .verbatim(value.replacingNUL)
            self.note = note?.localizedText
        }

        /// A row with a message in place of the value.
        init(_ name: String, _ value: Message) {
            self.name = name
            self.value = value.localizedText
            note = nil
        }
    }

    /// Text exactly as sent or received.
    struct Raw: Codable, Sendable {
        let label: LocalizedText
        let value: String

        init(_ label: any LocalizedTextConvertible, _ value: String) {
            self.label = label.localizedText
            self.value = value.replacingNUL
        }
    }
}

// Fields for the template.
extension TestSignInStep {
    static let fields = Fields<TestSignInStep> {
        $0.text("kind") { $0.kind.rawValue }
        $0.text("icon") { $0.kind.icon }
        $0.words("title") { $0.title }
        $0.words("explanation") { $0.explanation }
        $0.optionalText("status") { $0.status }
        $0.list("tables", tableFields) { $0.tables }
        $0.list("raws", rawFields) { $0.raws }
    }

    private static let tableFields = Fields<Table> {
        $0.words("title") { $0.title }
        $0.list("rows", rowFields) { $0.rows }
    }

    private static let rowFields = Fields<Row> {
        $0.text("name") { $0.name }
        $0.words("value") { $0.value }
        $0.optionalWords("note") { $0.note }
    }

    private static let rawFields = Fields<Raw> {
        $0.words("label") { $0.label }
        $0.text("value") { $0.value }
    }
}

extension String {
    fileprivate var replacingNUL: String {
        guard utf8.contains(0) else { return self }
        return String(String.UnicodeScalarView(unicodeScalars.map { $0.value == 0 ? "\u{2400}" : $0 }))
    }
}
