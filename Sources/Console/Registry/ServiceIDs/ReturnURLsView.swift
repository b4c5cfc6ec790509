import Registry
import Templates

/// Ten rows for return URLs, more where more were typed, each with what is wrong with it.
struct ReturnURLsView: Sendable {
    struct Row: Sendable {
        let number: Int
        let value: String
        let error: String?

        var id: String { ReturnURLsView.id(ofRow: number - 1) }

        static let fields = Fields<Row>()
            .text("id") { $0.id }
            .text("label") { "Return URL \($0.number)" }
            .text("value") { $0.value }
            .optionalText("error") { $0.error }
    }

    let rows: [Row]

    init(typed: [String], problems: [Int: String]) {
        rows = (0..<max(Limit.returnURLs.count, typed.count)).map { index in
            Row(number: index + 1, value: index < typed.count ? typed[index] : "", error: problems[index])
        }
    }

    static func id(ofRow index: Int) -> String { "return-url-\(index + 1)" }

    static let fields = Fields<ReturnURLsView>()
        .text("hint") { _ in
            "Up to \(Limit.returnURLs.count). Where people may be sent back to, exactly as the app sends it."
        }
        .list("rows", Row.fields) { $0.rows }
}
