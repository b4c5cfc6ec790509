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
        domains = try row.next([String].self).map(DomainName.init(stored:))
        returnURLs = try row.next([String].self).map(ReturnURL.init(stored:))
    }
}

extension ServiceID {
    /// Field values of a Service ID as the user entered them.
    public struct Input: Sendable {
        public var identifier: String
        public var description: String
        public var domains: [String]
        public var returnURLs: [String]
        public var issuer: String
        public var booleans: String
        public var requiresPKCE: Bool

        public init(
            identifier: String, description: String, domains: [String] = [], returnURLs: [String] = [],
            issuer: String = Issuer.own.rawValue, booleans: String = Booleans.json.rawValue, requiresPKCE: Bool = false
        ) {
            self.identifier = identifier
            self.description = description
            self.domains = domains
            self.returnURLs = returnURLs
            self.issuer = issuer
            self.booleans = booleans
            self.requiresPKCE = requiresPKCE
        }
    }

    /// Validated values of a Service ID, ready to be saved; the host of every return URL is covered by a domain.
    public struct Draft: Hashable, Sendable {
        public let identifier: ClientID
        public let appID: ClientID
        public let description: String
        /// In alphabetical order, as the database returns them.
        public let domains: [DomainName]
        public let returnURLs: [ReturnURL]
        public let issuer: Issuer
        public let booleans: Booleans
        public let requiresPKCE: Bool
    }
}

extension ServiceID.Draft {
    /// - Throws: `FieldErrors` with every error of the input.
    public init(parsing input: ServiceID.Input, of appID: ClientID, policy: HostPolicy) throws(FieldErrors) {
        var errors = FieldErrors()
        let identifier = errors.check("identifier", try ClientID(parsing: input.identifier))
        let description = errors.check(
            "description", try DisplayText.parse(input.description, limit: DisplayText.descriptionLimit))
        let domains = errors.checkEach("domains", of: input.domains, atMost: .domains) { text throws(ValidationError) in
            try DomainName(parsing: text, policy: policy)
        }
        // When a domain is invalid, return URLs are not also checked against the domains, because that would repeat it.
        let known = domains.count == input.domains.count ? domains : nil
        let returnURLs = errors.checkEach("returnURLs", of: input.returnURLs, atMost: .returnURLs) {
            text throws(ValidationError) in try ReturnURL(parsing: text, on: known, policy: policy)
        }
        let issuer = errors.check("issuer", try ServiceID.Issuer(choice: input.issuer))
        let booleans = errors.check("booleans", try ServiceID.Booleans(choice: input.booleans))
        guard let identifier, let description, let issuer, let booleans, errors.isEmpty else { throw errors }
        self.init(
            identifier: identifier, appID: appID, description: description,
            domains: domains.sorted { $0.text.utf8.lexicographicallyPrecedes($1.text.utf8) }, returnURLs: returnURLs,
            issuer: issuer, booleans: booleans, requiresPKCE: input.requiresPKCE)
    }

    var auditedMembers: AuditedMembers {
        [
            "appID": .string(appID.rawValue), "description": .string(description),
            "domains": .array(domains.map { .string($0.text) }),
            "returnURLs": .array(returnURLs.map { .string($0.text) }), "issuer": .string(issuer.rawValue),
            "booleans": .string(booleans.rawValue), "requirePKCE": .boolean(requiresPKCE),
        ]
    }
}

extension RawRepresentable where RawValue == String, Self: CaseIterable {
    /// The case with this raw value.
    init(choice text: String) throws(ValidationError) {
        guard let value = Self(rawValue: text) else {
            throw .unknownValue(text, allowed: Self.allCases.map(\.rawValue))
        }
        self = value
    }
}

extension ServiceID.Input {
    /// Field values that parse to `draft`.
    public init(_ draft: ServiceID.Draft) {
        self.init(
            identifier: draft.identifier.rawValue, description: draft.description, domains: draft.domains.map(\.text),
            returnURLs: draft.returnURLs.map(\.text), issuer: draft.issuer.rawValue, booleans: draft.booleans.rawValue,
            requiresPKCE: draft.requiresPKCE)
    }
}
