public import Core
public import Platform
public import Postgres

/// A web or Android client of an App ID, identified by its Service ID.
public struct ServiceID: Hashable, Sendable {
    /// The issuer in its tokens.
    public enum Issuer: String, SQLText, CaseIterable {
        /// The team's own issuer URL.
        case own
        /// `https://appleid.apple.com`, for clients that hard-code it.
        case apple
    }

    /// Format of `email_verified` and similar claims in tokens.
    public enum Booleans: String, SQLText, CaseIterable {
        case json
        case string
    }

    public let identifier: ClientID
    public let appID: ClientID
    /// The app's name on the hosted pages.
    public let description: String
    public let domains: [DomainName]
    public let returnURLs: [ReturnURL]
    public let issuer: Issuer
    public let booleans: Booleans
    public let requiresPKCE: Bool
    /// Incremented with every change; a form carries the version it was filled from.
    public let version: Int
    public let createdAt: Timestamp

    /// Its editable values.
    public var draft: Draft {
        Draft(
            identifier: identifier, appID: appID, description: description, domains: domains, returnURLs: returnURLs,
            issuer: issuer, booleans: booleans, requiresPKCE: requiresPKCE)
    }

    /// Reads `ServiceIDStore.columns`.
    init(_ row: inout Row) throws(PostgresFailure) {
        identifier = try row.next()
        appID = try row.next()
        description = try row.next()
        issuer = try row.next()
        booleans = try row.next()
        requiresPKCE = try row.next()
        version = try row.next()
        createdAt = try row.next()
        let domains: [String] = try row.next()
        let returnURLs: [String] = try row.next()
        self.domains = domains.map(DomainName.init(stored:))
        self.returnURLs = returnURLs.map(ReturnURL.init(stored:))
    }
}
