import Core
import HTTP

/// Token of an `Authorization: Bearer` field (RFC 6750 section 2.1), checked for permitted characters only.
struct BearerToken: Sendable {
    private static let maximumLength = 1024

    let text: String

    /// Returns nil unless there is exactly one such field; the scheme is case-insensitive (RFC 9110 section 11.1).
    init?(_ request: Request) {
        let values = request.values(of: .authorization)
        guard values.count == 1, values[0].utf8.count <= Self.maximumLength + 7 else { return nil }
        let parts = values[0].utf8.split(separator: UInt8(ascii: " "), maxSplits: 1)
        guard let scheme = parts.first, String(Substring(scheme)).lowercasedASCII == "bearer" else { return nil }
        let token = parts.last?.drop { $0 == UInt8(ascii: " ") } ?? ""[...].utf8
        guard parts.count == 2, !token.isEmpty, token.allSatisfy(Self.isTokenCharacter) else { return nil }
        text = String(Substring(token))
    }

    /// Whether the octet is permitted in a `b64token` (RFC 6750 section 2.1).
    private static func isTokenCharacter(_ octet: UInt8) -> Bool {
        switch octet {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"), UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="):
            true
        default: false
        }
    }
}
