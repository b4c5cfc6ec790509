internal import COpenSSL

/// SHA-256 (FIPS 180-4) in a single call.
public enum SHA256 {
    /// Length of a digest in bytes.
    public static let byteCount = 32

    /// The 32-byte digest of `message`.
    public static func hash(_ message: Span<UInt8>) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: byteCount) { digest, initialized in
            unsafe message.withUnsafeBufferPointer { message in
                let status = unsafe EVP_Digest(
                    message.baseAddress, message.count, digest.baseAddress, nil, OpenSSL.sha256, nil)
                OpenSSL.require(status, "EVP_Digest")
            }
            initialized = byteCount
        }
    }

    /// The 32-byte digest of `message`.
    public static func hash(_ message: [UInt8]) -> [UInt8] { hash(message.span) }

    /// The 32-byte digest of the UTF-8 bytes of `text`.
    public static func hash(_ text: String) -> [UInt8] { hash(text.utf8.span) }
}
