import HTTPClient
public import Postgres

/// What a domain was seen to serve where its association file belongs.
public struct DomainFinding: Hashable, Sendable {
    public enum Kind: String, SQLText, CaseIterable {
        /// The file, exactly, with a direct 200.
        case served
        /// A redirect; `detail` is where to.
        case redirected
        /// Another status than 200; `detail` is how the content begins.
        case otherStatus
        /// Another content; `detail` is how it begins.
        case otherContent
        /// The right content with white space around it, as an editor adds.
        case lineBreak
        /// More than any association file has.
        case tooLong
        /// The name stands for an address that Pippin does not call; `detail` is the address.
        case addressRefused
        case nameNotFound
        case unreachable
        /// The certificate is not trusted, or TLS failed; `detail` is how.
        case untrusted
        case deadlinePassed
        /// No answer of HTTP.
        case malformed
    }

    public let kind: Kind
    /// The status of the answer, when there was one.
    public let status: Int?
    public let detail: String?

    init(_ kind: Kind, status: Int? = nil, detail: String? = nil) {
        self.kind = kind
        self.status = status
        self.detail = detail.map { Self.printable($0) }
    }

    /// As it was stored.
    init(kind: Kind, status: Int?, stored detail: String?) {
        (self.kind, self.status, self.detail) = (kind, status, detail)
    }

    /// Judges an answer.
    init(of answer: ClientResponse, expecting file: AssociationFile) {
        let beginning = String(decoding: answer.body.prefix(Self.beginning), as: UTF8.self)
        switch answer.status {
        case 200 where answer.body.elementsEqual(file.content.utf8):
            self.init(.served, status: 200)
        case 200 where Self.trimmed(answer.body).elementsEqual(file.content.utf8):
            self.init(.lineBreak, status: 200)
        case 200:
            self.init(.otherContent, status: 200, detail: beginning)
        case 300..<400:
            self.init(.redirected, status: answer.status, detail: answer["Location"])
        default:
            self.init(.otherStatus, status: answer.status, detail: beginning)
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

    /// Octets of a wrong content that are shown.
    private static let beginning = 120
    private static let longest = 300

    private static func trimmed(_ body: [UInt8]) -> ArraySlice<UInt8> {
        let isBlank: (UInt8) -> Bool = { [0x09, 0x0A, 0x0D, 0x20].contains($0) }
        let rest = body.drop(while: isBlank)
        return rest.lastIndex { !isBlank($0) }.map { rest[...$0] } ?? []
    }

    /// What others wrote, with nothing in it that would not show.
    private static func printable(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars.prefix(longest) {
            switch scalar.properties.generalCategory {
            case .control, .format, .surrogate, .lineSeparator, .paragraphSeparator:
                scalars.append("\u{FFFD}")
            default: scalars.append(scalar)
            }
        }
        return String(scalars)
    }
}
