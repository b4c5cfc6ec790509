import Bytes
import Domain
import HTTP
import Web

/// Where in a list a page is: the cursors of the pages before it, in its address, so that there is a way back.
///
/// A cursor is a moment and an id, since lists are sorted by both; rows that come or go meanwhile shift nothing.
struct PageTrail: Sendable {
    /// What a page begins after.
    struct Cursor: Sendable {
        let at: Timestamp
        let id: String

        /// From 1970 to the end of the year 9999, in microseconds: what a row of ours can have.
        private static let moments = Int64(0)...253_402_300_799_999_999

        init(at: Timestamp, id: String) {
            self.at = at
            self.id = id
        }

        init?(text: String) {
            guard text.utf8.count <= 300, let dot = text.firstIndex(of: "."),
                let microseconds = Int64(text[..<dot]), Self.moments.contains(microseconds)
            else { return nil }
            at = Timestamp(microseconds: microseconds)
            id = String(text[text.index(after: dot)...])
        }

        var text: String { "\(at.microseconds).\(id)" }
    }

    /// Of pages that are remembered: addresses stay far below the limit of a request's head.
    private static let length = 20

    private let path: String
    /// What else the address says, as a search.
    private let filter: [(name: String, value: String)]
    private let cursors: [Cursor]

    /// Reads the cursors of a list's address.
    ///
    /// - Parameter filter: the other parameters that links to further pages keep.
    init(_ path: String, _ query: Form, filter: [(name: String, value: String)] = []) throws(Problem) {
        self.path = path
        self.filter = filter
        var cursors: [Cursor] = []
        for text in query.values(of: "after").suffix(Self.length) {
            guard let cursor = Cursor(text: text) else { throw Problem(Refusal.badRequest) }
            cursors.append(cursor)
        }
        self.cursors = cursors
    }

    /// Where this page begins; nil on the first.
    var current: Cursor? { cursors.last }

    /// The foot of the list.
    func paging(_ summary: any Wording, next: Cursor?) -> PagingView {
        PagingView(
            summary: summary,
            previousURL: cursors.isEmpty ? nil : url(cursors.dropLast()),
            nextURL: next.map { url(cursors.suffix(Self.length - 1) + [$0]) }
        )
    }

    private func url(_ cursors: ArraySlice<Cursor>) -> String {
        let parameters = filter + cursors.map { (name: "after", value: $0.text) }
        guard !parameters.isEmpty else { return path }
        return path + "?"
            + parameters.map { "\($0.name)=\(PercentCoding.encode($0.value))" }.joined(separator: "&")
    }
}

extension Request {
    /// The parameters of the query string, or a refusal in words.
    func parameters() throws(Problem) -> Form {
        do throws(FormCoding.Failure) {
            return try query()
        } catch {
            throw Problem(Refusal.badRequest)
        }
    }
}

extension Role {
    /// As pages name it.
    var words: Phrase { Phrase(in: "console.roles", rawValue) }
}
