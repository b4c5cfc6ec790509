public import Core
import HTTP
public import Platform
public import Postgres

/// Result of requesting a domain's association file.
public struct DomainFinding: Hashable, Sendable {
    public enum Kind: String, SQLText, CaseIterable {
        /// Status 200 with the exact file, without a redirect.
        case served
        /// A redirect; `detail` is its `Location`.
        case redirected
        /// A status other than 200; `detail` is the beginning of the content.
        case otherStatus
        /// Other content; `detail` is its beginning.
        case otherContent
        /// The file's content with white space around it, as an editor adds.
        case lineBreak
        /// A body over the limit, which no association file reaches.
        case tooLong
        /// The host resolves to an address that Pippin does not call; `detail` is the address.
        case addressRefused
        case nameNotFound
        case unreachable
        /// The certificate is not trusted, or TLS failed; `detail` is the reason.
        case untrusted
        case deadlinePassed
        /// Not an HTTP response.
        case malformed
    }

    public let kind: Kind
    /// HTTP status of the response, if there was one.
    public let status: Int?
    public let detail: String?

    init(_ kind: Kind, status: Int? = nil, detail: String? = nil) {
        self.kind = kind
        self.status = status
        self.detail = detail.map { Self.printable($0) }
    }

    /// A finding read from the database.
    init(kind: Kind, status: Int?, stored detail: String?) {
        (self.kind, self.status, self.detail) = (kind, status, detail)
    }

    /// Evaluates a response.
    init(of answer: ClientResponse, expecting file: AssociationFile) {
        let beginning = String(decoding: answer.body.prefix(Self.beginning), as: UTF8.self)
        switch answer.status {
        case 200 where answer.body.elementsEqual(file.content.utf8): self.init(.served, status: 200)
        case 200 where Self.trimmed(answer.body).elementsEqual(file.content.utf8): self.init(.lineBreak, status: 200)
        case 200: self.init(.otherContent, status: 200, detail: beginning)
        case 300..<400: self.init(.redirected, status: answer.status, detail: answer["Location"])
        default: self.init(.otherStatus, status: answer.status, detail: beginning)
        }
    }

    init(of failure: ClientFailure) {
        switch failure {
        case .addressRefused(let address): self.init(.addressRefused, detail: address)
        case .nameNotFound: self.init(.nameNotFound)
        case .cannotConnect, .cancelled, .copy: self.init(.unreachable)
        case .untrusted(_, let reason): self.init(.untrusted, detail: reason)
        case .deadlinePassed: self.init(.deadlinePassed)
        case .bodyTooLong: self.init(.tooLong)
        case .malformedAnswer, .malformedRequest, .tooManyRedirects: self.init(.malformed)
        case .other(let reason): self.init(.unreachable, detail: reason)
        }
    }

    /// Maximum octets of wrong content that are shown.
    private static let beginning = 120
    private static let longest = 300

    private static func trimmed(_ body: [UInt8]) -> ArraySlice<UInt8> {
        let isBlank: (UInt8) -> Bool = { [0x09, 0x0A, 0x0D, 0x20].contains($0) }
        let rest = body.drop(while: isBlank)
        return rest.lastIndex { !isBlank($0) }.map { rest[...$0] } ?? []
    }

    /// Text of a foreign server, with invisible characters replaced by U+FFFD.
    private static func printable(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars.prefix(longest) {
            switch scalar.properties.generalCategory {
            case .control, .format, .surrogate, .lineSeparator, .paragraphSeparator: scalars.append("\u{FFFD}")
            default: scalars.append(scalar)
            }
        }
        return String(scalars)
    }
}

extension DomainFinding {
    /// Message with the result of the check.
    public var headline: Message {
        let detail = detail ?? ""
        return switch kind {
        case .served: Message("console.domains.served")
        case .redirected: Message("console.domains.redirected", ["status": String(status ?? 0)])
        case .otherStatus: Message("console.domains.other-status", ["status": String(status ?? 0)])
        case .otherContent: Message("console.domains.other-content")
        case .lineBreak: Message("console.domains.line-break")
        case .tooLong: Message("console.domains.too-long")
        case .addressRefused: Message("console.domains.address-refused")
        case .nameNotFound: Message("console.domains.name-not-found")
        case .unreachable: Message("console.domains.unreachable")
        case .untrusted: Message("console.domains.untrusted", ["reason": detail])
        case .deadlinePassed: Message("console.domains.deadline-passed")
        case .malformed: Message("console.domains.malformed")
        }
    }

    /// Message with the change to make.
    ///
    /// - Parameter address: the URL of the file.
    func advice(at address: String) -> Message {
        switch kind {
        case .served: Message("console.domains.served.advice")
        case .redirected: Message("console.domains.redirected.advice")
        case .otherStatus: Message("console.domains.other-status.advice", ["address": address])
        case .otherContent: Message("console.domains.other-content.advice")
        case .lineBreak: Message("console.domains.line-break.advice")
        case .tooLong: Message("console.domains.too-long.advice")
        case .addressRefused: Message("console.domains.address-refused.advice")
        case .nameNotFound: Message("console.domains.name-not-found.advice")
        case .unreachable: Message("console.domains.unreachable.advice")
        case .untrusted: Message("console.domains.untrusted.advice")
        case .deadlinePassed: Message("console.domains.deadline-passed.advice")
        case .malformed: Message("console.domains.malformed.advice")
        }
    }
}

/// A domain of a team's Service IDs, with the state of its verification.
public struct RegisteredDomain: Hashable, Sendable {
    public enum State: Hashable, Sendable {
        /// Never checked.
        case pending
        /// The last check found the file.
        case verified
        /// Still verified, though checks since then found something else; lapses after the grace period.
        case failing(since: Timestamp)
        case unverified
    }

    /// How long a verified domain may serve something else, so that a short failure does not stop sign-ins.
    public static let grace = Duration.seconds(3 * 86_400)

    public let name: DomainName
    public let file: AssociationFile
    public let state: State
    public let checkedAt: Timestamp?
    public let finding: DomainFinding?
    /// The Service IDs that name it.
    public let serviceIDs: [ClientID]
    /// Whether its team is in sandbox mode, and may use loopback addresses of this machine.
    let isOfSandbox: Bool
    /// The URL from which the file is requested.
    public let associationURL: String

    /// Whether return URLs on it work in a team that requires verified domains.
    public var isVerified: Bool {
        switch state {
        case .verified, .failing: true
        case .pending, .unverified: false
        }
    }

    /// Whether it is a loopback address of a sandbox team, which no other machine reaches.
    public var isOwnMachine: Bool { isOfSandbox && name.isLoopback }

    /// What to do after the last check, or nil before the first.
    ///
    /// - Parameter isNeeded: whether the team's return URLs work only on verified domains.
    public func advice(isNeeded: Bool) -> Message? {
        guard let finding else { return nil }
        guard isOwnMachine, finding.kind != .served else { return finding.advice(at: associationURL) }
        return isNeeded
            ? Message("console.domains.own-machine.needed", ["address": associationURL])
            : Message("console.domains.own-machine")
    }

    /// Reads `DomainStore.columns`.
    init(_ row: inout Row) throws(PostgresFailure) {
        name = DomainName(stored: try row.next())
        file = AssociationFile(token: try row.next())
        let isVerified: Bool = try row.next()
        let failedSince: Timestamp? = try row.next()
        checkedAt = try row.next()
        let kind: DomainFinding.Kind? = try row.next()
        let status: Int? = try row.next()
        let detail: String? = try row.next()
        finding = kind.map { DomainFinding(kind: $0, status: status, stored: detail) }
        serviceIDs = try row.next([String].self).compactMap(ClientID.init(rawValue:))
        isOfSandbox = try row.next()
        let returnURL: String? = try row.next()
        associationURL = name.associationURL(returnURL.map { [ReturnURL(stored: $0)] } ?? [])
        state =
            switch (isVerified, failedSince) {
            case (true, nil): .verified
            case (true, let since?): .failing(since: since)
            case (false, _): checkedAt == nil ? .pending : .unverified
            }
    }
}
