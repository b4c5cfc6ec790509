internal import Core

/// The secret shared with an authenticator app (RFC 4226 section 4, R6).
public struct TOTPSecret: Sendable {
    /// 160 bits, the length RFC 4226 recommends.
    static let byteCount = 20
    /// Accepted lengths of existing secrets: apps have long created secrets of 80 bits, and 64 octets are SHA-1's
    /// block.
    static let acceptedCounts = 10...64

    public let bytes: [UInt8]

    /// Creates a random secret.
    public init(random: RandomSource) { bytes = random.bytes(Self.byteCount) }

    /// Creates a secret from 10 to 64 octets; nil for any other length.
    public init?(_ bytes: [UInt8]) {
        guard Self.acceptedCounts.contains(bytes.count) else { return nil }
        self.bytes = bytes
    }

    /// Parses a secret typed by a user in base32, with lowercase letters and spaces accepted.
    public init?(text: String) {
        guard text.utf8.count <= 160, let bytes = Base32.decode(text) else { return nil }
        self.init(bytes)
    }

    /// The secret in base32, as typed into an app.
    public var text: String { Base32.encode(bytes) }

    /// The base32 text in groups of four characters, for reading.
    public var readable: String {
        let characters = Array(text.utf8)
        return stride(from: 0, to: characters.count, by: 4).map {
            String(decoding: characters[$0..<min($0 + 4, characters.count)], as: UTF8.self)
        }.joined(separator: " ")
    }

    /// The URI in a QR code for authenticator apps, in the “Key URI format” that all of them support.
    ///
    /// - Parameters:
    ///   - issuer: the service that requests the codes, shown in the app.
    ///   - account: the user's account, shown beside it.
    public func uri(issuer: String, account: String) -> String {
        // A colon separates issuer and account in the label, so neither may contain one.
        let label = [issuer, account].map { PercentCoding.encode($0.removing { $0 == ":" }) }.joined(separator: ":")
        return "otpauth://totp/\(label)?secret=\(text)&issuer=\(PercentCoding.encode(issuer))"
            + "&algorithm=SHA1&digits=\(TOTP.digits)&period=\(TOTP.period)"
    }
}

extension TOTPSecret: CustomStringConvertible, CustomReflectable {
    public var description: String { "TOTPSecret" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
