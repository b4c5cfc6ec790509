// Crypto: randomness, digests, authenticated encryption, password hashes, signatures, passkeys, and what is built on them.
//
// Owns: every call into OpenSSL, libsodium, zxcvbn, libfido2 and libqrencode, and the formats: PEM and PKCS#8, JWK, JWS
// and JWT, sealed values, opaque tokens. No algorithm is implemented here.
// Must not know: what a team, client, code or session is, where keys are stored, the current time, HTTP.
// Standards: FIPS 180-4, RFC 2104 (HMAC), RFC 5869 (HKDF), NIST SP 800-38D (AES-GCM), RFC 9106 (Argon2id), RFC 8017,
// FIPS 186-5 (ECDSA), RFC 5958 and RFC 7468 (PKCS#8, PEM), RFC 4226 and RFC 6238 (one-time codes), RFC 7515, 7517, 7518,
// 7519 and 7638 (JOSE), Web Authentication Level 3.

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
