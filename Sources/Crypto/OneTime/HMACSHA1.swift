internal import COpenSSL

/// HMAC-SHA-1 for one-time codes only, because it is what authenticator apps support (RFC 6238 section 1.2).
///
/// The known weakness of SHA-1, collisions, does not affect HMAC.
enum HMACSHA1 {
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
