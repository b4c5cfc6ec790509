internal import Bytes

/// The secret that an authenticator app shares with us (RFC 4226 section 4, R6).
public struct TOTPSecret: Sendable {
    /// 160 bits, the length RFC 4226 recommends.
    static let byteCount = 20
    /// What is taken from elsewhere: apps have long made secrets of 80 bits, and 64 octets are SHA-1's block.
    static let acceptedCounts = 10...64

    public let bytes: [UInt8]

    /// A new random secret.
    public init(random: RandomSource) {
        bytes = random.bytes(Self.byteCount)
    }

    /// A secret of 10 to 64 octets, nil for any other length.
    public init?(_ bytes: [UInt8]) {
        guard Self.acceptedCounts.contains(bytes.count) else { return nil }
        self.bytes = bytes
    }

    /// A secret as people type it: base 32, small letters and blanks taken.
    public init?(text: String) {
        guard text.utf8.count <= 160, let bytes = Base32.decode(text) else { return nil }
        self.init(bytes)
    }

    /// In base 32, as it is typed into an app.
    public var text: String { Base32.encode(bytes) }

    /// The text in groups of four, as people read it.
    public var readable: String {
        let characters = Array(text.utf8)
        return stride(from: 0, to: characters.count, by: 4)
            .map { String(decoding: characters[$0..<min($0 + 4, characters.count)], as: UTF8.self) }
            .joined(separator: " ")
    }

    /// What an app reads from a QR code, by the “Key URI format” that all of them follow.
    ///
    /// - Parameters:
    ///   - issuer: who asks for the codes, shown in the app.
    ///   - account: whose codes they are, shown beside it.
    public func uri(issuer: String, account: String) -> String {
        // The label's colon parts issuer from account, so neither may bring one.
        let label = [issuer, account]
            .map { PercentCoding.encode($0.removing { $0 == ":" }) }
            .joined(separator: ":")
        return "otpauth://totp/\(label)?secret=\(text)&issuer=\(PercentCoding.encode(issuer))"
            + "&algorithm=SHA1&digits=\(TOTP.digits)&period=\(TOTP.period)"
    }
}

extension TOTPSecret: CustomStringConvertible, CustomReflectable {
    public var description: String { "TOTPSecret" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
