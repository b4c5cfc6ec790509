import Core
import HTTP
import Platform
import SignIn

/// Page of a list that a URL requests: its filters, and the cursors of this page and the pages before it.
///
/// A cursor is the time and id of the row after which a page begins, because lists are sorted by both; inserted or
/// deleted rows do not shift the pages.
struct ListQuery: Sendable {
    /// Number of items on a page, except in the lists of the registry, which have 25.
    static let pageSize = 50
    /// Maximum number of cursors in a URL, which keeps it far below the limit of a request's head.
    private static let longestHistory = 20

    /// Path of the list, which shows its first page without filters.
    let path: String
    let filters: [ListFilter]
    /// The filters as they were typed, in display order.
    let parameters: [(name: String, value: String)]
    private let cursors: [ListCursor]
    /// Errors of the days; a filter with an error is not in force.
    private(set) var errors = FieldErrors()
    /// The times of the filters `from` and `to`, which name days in UTC.
    private(set) var days: (since: Timestamp?, until: Timestamp?)

    /// - Throws: `UserFacingError` if the query string cannot be parsed.
    init(_ request: Request, at path: String, _ filters: [ListFilter] = []) throws(UserFacingError) {
        try self.init(try request.parameters(), at: path, filters)
    }

    init(_ query: Form, at path: String, _ filters: [ListFilter]) throws(UserFacingError) {
        self.path = path
        self.filters = filters
        parameters = filters.compactMap { filter in
            let line = ListFilter.read(query[filter.name] ?? "")
            // A search is folded by the list, and shown as it was typed.
            let value = filter.name == "q" ? line : line.typedCode
            return value.isEmpty || !filter.accepts(value) ? nil : (filter.name, value)
        }
        var cursors: [ListCursor] = []
        for text in query.values(of: "after").suffix(Self.longestHistory) {
            guard let cursor = ListCursor(text: text) else { throw UserFacingError(HTTPError.badRequest) }
            cursors.append(cursor)
        }
        self.cursors = cursors
        readDays()
    }

    private mutating func readDays() {
        let wrong = Message("console.forms.day")
        let since = self["from"].flatMap { errors.require(Timestamp(day: $0), "from", wrong) }
        let last = self["to"].flatMap { errors.require(Timestamp(day: $0), "to", wrong) }
        if let since, let last, last < since {
            errors.add("to", Message("console.forms.day.order"))
            days = (since, nil)
        } else {
            days = (since, last.map { $0 + .seconds(86_400) })
        }
    }

    /// Value of the filter; nil if it is not set.
    subscript(_ name: String) -> String? { parameters.first { $0.name == name }?.value }

    var search: String { self["q"] ?? "" }
    var isFiltered: Bool { !parameters.isEmpty }

    /// Where the page begins; nil on the first page.
    var after: ListCursor? { cursors.last }

    /// Summary and links to the previous and next page, below the list.
    func paging(_ summary: any LocalizedTextConvertible, next: ListCursor?) -> PagingView {
        PagingView(
            summary: summary, previousURL: cursors.isEmpty ? nil : url(parameters, cursors.dropLast()),
            nextURL: next.map { url(parameters, cursors.suffix(Self.longestHistory - 1) + [$0]) })
    }

    /// The filters in force, each with the URL of the list without it.
    var chips: [ChipView] {
        parameters.filter { errors[FieldPath($0.name)] == nil }.map { chip($0, without: [$0.name]) }
    }

    /// - Parameter names: the filters that the chip's URL leaves out.
    func chip(_ parameter: (name: String, value: String), without names: Set<String>) -> ChipView {
        let filter = filters.first { $0.name == parameter.name }
        return ChipView(
            filter?.label ?? parameter.name as any LocalizedTextConvertible,
            filter?.shown(parameter.value) ?? parameter.value,
            removeURL: url(parameters.filter { !names.contains($0.name) }, []))
    }

    /// The inputs of the filters with their values.
    var inputs: [Input] { filters.compactMap { $0.view(self[$0.name] ?? "", errors: errors) } }

    private func url(_ parameters: [(name: String, value: String)], _ cursors: ArraySlice<ListCursor>) -> String {
        let all = parameters + cursors.map { (name: "after", value: $0.text) }
        return all.isEmpty ? path : "\(path)?\(FormCoding.encode(all))"
    }
}

extension ListCursor {
    /// Possible times of an item in microseconds: from 1970 to the end of the year 9999.
    private static let moments = Int64(0)...253_402_300_799_999_999

    /// Reads a time and an id, which has printable ASCII characters only.
    init?(text: String) {
        guard text.utf8.count <= 300, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
            let dot = text.firstIndex(of: "."), let microseconds = Int64(text[..<dot]),
            Self.moments.contains(microseconds)
        else { return nil }
        self.init(Timestamp(microseconds: microseconds), String(text[text.index(after: dot)...]))
    }

    var text: String { "\(at.microseconds).\(id)" }
}

extension Page {
    /// Number of items, in the words of `found` or, beyond the limit of the count, of `more`.
    func summary(_ found: (Int) -> Message, more: (Int) -> Message) -> Message {
        total > Self.countLimit ? more(Self.countLimit) : found(total)
    }
}

extension Request {
    /// The parameters of the query string.
    ///
    /// - Throws: `UserFacingError` with status 400 if it cannot be parsed.
    func parameters() throws(UserFacingError) -> Form {
        do throws(FormCoding.Failure) { return try query() } catch { throw UserFacingError(HTTPError.badRequest) }
    }
}
