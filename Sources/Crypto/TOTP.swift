internal import COpenSSL
internal import Core

/// Time-based one-time codes (RFC 6238) of six digits, with a new code every 30 seconds.
///
/// All authenticator apps support these values.
public enum TOTP {
    public static let digits = 6
    /// Period of a code in seconds.
    public static let period = 30
    /// Number of steps by which a clock may be off in either direction (RFC 6238 section 5.2).
    public static let window = 1

    /// Number of the 30-second step that contains a time.
    public static func step(atSeconds seconds: Int) -> Int { max(0, seconds) / period }

    /// The code of one step (RFC 4226 section 5.3).
    public static func code(of secret: TOTPSecret, step: Int) -> String {
        let counter = (0..<8).map { UInt8(truncatingIfNeeded: UInt64(step) >> (56 - 8 * UInt64($0))) }
        let digest = HMACSHA1.code(for: counter, key: secret.bytes)
        let offset = Int(digest[HMACSHA1.byteCount - 1] & 0x0F)
        let number = digest[offset..<offset + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
        let text = String(number % 1_000_000)
        return String(repeating: "0", count: digits - text.utf8.count) + text
    }

    /// The step, within the window, whose code equals `code`; nil for a wrong code.
    ///
    /// The code is read as people type it, such as in groups. Every step is compared, in constant time, so the timing
    /// reveals nothing. The caller stores the step, so that a code works only once.
    public static func step(ofCode code: String, secret: TOTPSecret, atSeconds seconds: Int) -> Int? {
        let typed = code.cut(toOctets: 128).typedOneTimeCode
        let now = step(atSeconds: seconds)
        var found: Int?
        for step in max(0, now - window)...(now + window) {
            // The newest match is kept, so that if two steps share a code, its use invalidates both.
            if ConstantTime.equal(self.code(of: secret, step: step), typed) { found = step }
        }
        return found
    }
}

/// HMAC-SHA-1 for one-time codes only, because it is what authenticator apps support (RFC 6238 section 1.2).
///
/// The known weakness of SHA-1, collisions, does not affect HMAC.
private enum HMACSHA1 {
    static let byteCount = 20

    /// The 20-byte authentication code of `message`.
    static func code(for message: [UInt8], key: [UInt8]) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: byteCount)
        var count: UInt32 = 0
        let result = unsafe HMAC(EVP_sha1(), key, Int32(key.count), message, message.count, &code, &count)
        unsafe OpenSSL.require(result == nil ? 0 : 1, "HMAC")
        return code
    }
}

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
