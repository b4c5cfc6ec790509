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
    /// Spaces are ignored, because apps show codes in groups. Every step is compared, in constant time, so the timing
    /// reveals nothing. The caller stores the step, so that a code works only once.
    public static func step(ofCode code: String, secret: TOTPSecret, atSeconds seconds: Int) -> Int? {
        let typed = String(decoding: code.utf8.prefix(32).filter { $0 != UInt8(ascii: " ") }, as: UTF8.self)
        let now = step(atSeconds: seconds)
        var found: Int?
        for step in max(0, now - window)...(now + window) {
            // The newest match is kept, so that if two steps share a code, its use invalidates both.
            if ConstantTime.equal(self.code(of: secret, step: step), typed) { found = step }
        }
        return found
    }
}
