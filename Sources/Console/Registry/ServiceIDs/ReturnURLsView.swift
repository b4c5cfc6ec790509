import Bytes
import Registry
import Templates

/// Ten rows for return URLs, more where more were typed, each with what is wrong with it.
///
/// Those behind the first empty ones are folded away.
struct ReturnURLsView: Sendable {
    struct Row: Sendable {
        let number: Int
        let value: String
        let error: Words?

        var id: String { ReturnURLsView.id(ofRow: number - 1) }

        static let fields = Fields<Row>()
            .text("id") { $0.id }
            .words("label") { Phrase("console.service-ids.return-url", ["number": $0.number]) }
            .text("value") { $0.value }
            .optionalWords("error") { $0.error }
    }

    /// Empty rows in sight.
    private static let spare = 2

    let rows: [Row]
    private let inSight: Int

    init(typed: [String], problems: [Int: Words]) {
        rows = (0..<max(Limit.returnURLs.count, typed.count)).map { index in
            Row(number: index + 1, value: index < typed.count ? typed[index] : "", error: problems[index])
        }
        let used = (rows.lastIndex { !$0.value.isEmpty || $0.error != nil } ?? -1) + 1
        inSight = min(rows.count, used + Self.spare)
    }

    static func id(ofRow index: Int) -> String { "return-url-\(index + 1)" }

    static let fields = Fields<ReturnURLsView>()
        .words("hint") { _ in
            Phrase("console.service-ids.return-urls.hint", ["limit": Limit.returnURLs.count])
        }
        .list("rows", Row.fields) { Array($0.rows.prefix($0.inSight)) }
        .list("more", Row.fields) { Array($0.rows.dropFirst($0.inSight)) }
}
