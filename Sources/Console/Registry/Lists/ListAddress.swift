import Bytes
import Domain
import HTTP
import Localization
import Registry
import Web

/// Page of a registry list that a URL requests: the search text and the position in the list.
struct ListAddress: Sendable {
    private static let longestSearch = 255

    /// Search text; empty to list everything.
    let search: String
    private let trail: PageHistory

    /// - Throws: `UserFacingError` if the query string cannot be parsed.
    init(_ request: Request, path: String) throws(UserFacingError) {
        let query = try request.parameters()
        search = (query["q"] ?? "").trimmed.withoutNUL.cut(toOctets: Self.longestSearch)
        trail = try PageHistory(path, query, filter: search.isEmpty ? [] : [(name: "q", value: search)])
    }

    /// Search text as the page shows it; nil without a search.
    var searched: String? { search.isEmpty ? nil : search }

    /// Query for a list sorted by identifier.
    var byIdentifier: PageQuery<ClientID> {
        PageQuery(search: search, after: trail.current.flatMap { ClientID(rawValue: $0.id) })
    }

    /// Query for the keys, newest first.
    var ofKeys: PageQuery<KeyStore.Cursor> {
        let after = trail.current.flatMap { cursor in
            KeyID(rawValue: cursor.id).map { KeyStore.Cursor(createdAt: cursor.at, id: $0) }
        }
        return PageQuery(search: search, after: after)
    }

    /// Links below a list sorted by identifier, whose cursors need no time.
    func paging(_ found: Message, next: ClientID?) -> PagingView {
        let cursor = next.map { PageHistory.Cursor(at: Timestamp(microseconds: 0), id: $0.rawValue) }
        return trail.paging(found, next: cursor)
    }

    /// Links below the list of keys.
    func paging(_ found: Message, next: KeyStore.Cursor?) -> PagingView {
        let cursor = next.map { PageHistory.Cursor(at: $0.createdAt, id: $0.id.rawValue) }
        return trail.paging(found, next: cursor)
    }
}
