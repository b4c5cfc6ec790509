internal import COpenSSL

/// OpenSSL algorithms, fetched once because a lookup by name costs more than hashing a short text.
///
/// The handles are immutable, reference-counted by OpenSSL, and live as long as the process.
@safe enum OpenSSL {
    nonisolated(unsafe) static let sha256 = unsafe require(EVP_MD_fetch(nil, "SHA256", nil), "SHA-256")
    nonisolated(unsafe) static let aes256GCM = unsafe require(EVP_CIPHER_fetch(nil, "AES-256-GCM", nil), "AES-256-GCM")
    nonisolated(unsafe) static let hmac = unsafe require(EVP_MAC_fetch(nil, "HMAC", nil), "HMAC")

    /// Traps if OpenSSL lacks an algorithm or memory, which no input can cause, because continuing would mean
    /// continuing without protection.
    static func require(_ handle: OpaquePointer?, _ name: StaticString) -> OpaquePointer {
        guard let handle = unsafe handle else { preconditionFailure("OpenSSL cannot provide \(name)") }
        return unsafe handle
    }

    /// Traps if an operation fails that can fail only for lack of memory.
    static func require(_ status: Int32, _ name: StaticString) {
        precondition(status == 1, "OpenSSL failed in \(name)")
    }

    /// Clears the thread's queue of OpenSSL errors after a failure, so that it does not affect later calls.
    static func forgetErrors() { ERR_clear_error() }
}
