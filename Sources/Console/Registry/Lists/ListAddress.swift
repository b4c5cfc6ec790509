import Bytes
import Domain
import HTTP
import Registry
import Web

/// Which page of a list of the registry is asked for: what is searched for, and the way there.
struct ListAddress: Sendable {
    private static let longestSearch = 255

    /// Empty for everything.
    let search: String
    private let trail: PageTrail

    /// - Throws: `Problem` when the query cannot be read.
    init(_ request: Request, path: String) throws(Web.Problem) {
        let query = try request.parameters()
        search = (query["q"] ?? "").trimmed.withoutNUL.cut(toOctets: Self.longestSearch)
        trail = try PageTrail(path, query, filter: search.isEmpty ? [] : [(name: "q", value: search)])
    }

    /// What was searched for, for the page; nil for nothing.
    var searched: String? { search.isEmpty ? nil : search }

    /// Of a list in the order of identifiers.
    var byIdentifier: PageQuery<ClientID> {
        PageQuery(search: search, after: trail.current.flatMap { ClientID(rawValue: $0.id) })
    }

    /// Of the keys, newest first.
    var ofKeys: PageQuery<KeyStore.Cursor> {
        let after = trail.current.flatMap { cursor in
            KeyID(rawValue: cursor.id).map { KeyStore.Cursor(createdAt: cursor.at, id: $0) }
        }
        return PageQuery(search: search, after: after)
    }

    /// The foot of a list in the order of identifiers; no moment is needed to go on.
    func paging(_ found: Phrase, next: ClientID?) -> PagingView {
        let cursor = next.map { PageTrail.Cursor(at: Timestamp(microseconds: 0), id: $0.rawValue) }
        return trail.paging(found, next: cursor)
    }

    /// The foot of the list of keys.
    func paging(_ found: Phrase, next: KeyStore.Cursor?) -> PagingView {
        let cursor = next.map { PageTrail.Cursor(at: $0.createdAt, id: $0.id.rawValue) }
        return trail.paging(found, next: cursor)
    }
}
