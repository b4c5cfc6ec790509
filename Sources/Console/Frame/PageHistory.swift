import Bytes
import Domain
import HTTP
import Localization
import Web

/// Position of a page in a list: the cursors of this page and the pages before it, kept in the URL for the back link.
///
/// A cursor is a time and an id, because lists are sorted by both; inserted or deleted rows do not shift the pages.
struct PageHistory: Sendable {
    /// Sort key of the row after which a page begins.
    struct Cursor: Sendable {
        let at: Timestamp
        let id: String

        /// Possible times of a row in microseconds: from 1970 to the end of the year 9999.
        private static let moments = Int64(0)...253_402_300_799_999_999

        init(at: Timestamp, id: String) {
            self.at = at
            self.id = id
        }

        init?(text: String) {
            guard text.utf8.count <= 300, let dot = text.firstIndex(of: "."), let microseconds = Int64(text[..<dot]),
                Self.moments.contains(microseconds)
            else { return nil }
            at = Timestamp(microseconds: microseconds)
            id = String(text[text.index(after: dot)...])
        }

        var text: String { "\(at.microseconds).\(id)" }
    }

    /// Maximum number of cursors in a URL, which keeps it far below the limit of a request's head.
    private static let length = 20

    private let path: String
    /// Other query parameters, such as a search.
    private let filter: [(name: String, value: String)]
    private let cursors: [Cursor]

    /// Reads the cursors from a list's query parameters.
    ///
    /// - Parameter filter: the other parameters, which links to further pages keep.
    init(_ path: String, _ query: Form, filter: [(name: String, value: String)] = []) throws(UserFacingError) {
        self.path = path
        self.filter = filter
        var cursors: [Cursor] = []
        for text in query.values(of: "after").suffix(Self.length) {
            guard let cursor = Cursor(text: text) else { throw UserFacingError(HTTPError.badRequest) }
            cursors.append(cursor)
        }
        self.cursors = cursors
    }

    /// Cursor at which this page begins; nil on the first page.
    var current: Cursor? { cursors.last }

    /// Summary and links to the previous and next page, below the list.
    func paging(_ summary: any LocalizedTextConvertible, next: Cursor?) -> PagingView {
        PagingView(
            summary: summary, previousURL: cursors.isEmpty ? nil : url(cursors.dropLast()),
            nextURL: next.map { url(cursors.suffix(Self.length - 1) + [$0]) })
    }

    private func url(_ cursors: ArraySlice<Cursor>) -> String {
        let parameters = filter + cursors.map { (name: "after", value: $0.text) }
        guard !parameters.isEmpty else { return path }
        return path + "?" + parameters.map { "\($0.name)=\(PercentCoding.encode($0.value))" }.joined(separator: "&")
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

extension Role {
    /// Name of the role on pages.
    var words: Message { Message(in: "console.roles", rawValue) }
}
