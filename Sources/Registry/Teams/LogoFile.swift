import Core
import Crypto

/// An uploaded image that represents a team on its hosted pages.
public struct LogoFile: Hashable, Sendable {
    /// In octets.
    public static let maximumSize = 256 * 1024

    public enum Problem: Error, Equatable, Sendable {
        case tooLarge
        /// Not PNG, JPEG or WebP, whatever its name claims.
        case unknownKind
    }

    public let mediaType: String
    public let octets: [UInt8]
    /// The SHA-256 of its octets in hexadecimal digits, part of its URL.
    public let digest: String

    /// Determines the type of a file by its first octets: a PNG's signature (RFC 2083 section 3.1), a JPEG's SOI
    /// marker, or WebP in RIFF (RFC 9649 section 2.3).
    ///
    /// SVG is not accepted, because it may contain scripts.
    public init(_ octets: [UInt8]) throws(Problem) {
        guard octets.count <= Self.maximumSize else { throw .tooLarge }
        let isPNG = octets.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
        let isWebP = octets.starts(with: "RIFF".utf8) && octets.dropFirst(8).starts(with: "WEBPVP8".utf8)
        if isPNG {
            mediaType = "image/png"
        } else if octets.starts(with: [0xFF, 0xD8, 0xFF]) {
            mediaType = "image/jpeg"
        } else if isWebP {
            mediaType = "image/webp"
        } else {
            throw .unknownKind
        }
        self.octets = octets
        digest = Hex.encode(SHA256.hash(octets))
    }
}
