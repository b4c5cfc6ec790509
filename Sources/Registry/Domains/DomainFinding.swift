import HTTP
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
        case .cannotConnect, .cancelled: self.init(.unreachable)
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
