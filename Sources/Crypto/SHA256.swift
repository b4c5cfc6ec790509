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

/// HKDF with SHA-256 (RFC 5869), which derives keys for separate purposes from one secret.
public enum HKDFSHA256 {
    /// Maximum length of `info` in bytes, the limit of OpenSSL 3.0.
    public static let maximumInfoCount = 1024

    /// Derives `count` bytes (at most 255 × 32) from `secret`, which must not be empty.
    ///
    /// `info` names the purpose: different names give independent keys.
    public static func derive(_ count: Int, from secret: Span<UInt8>, salt: [UInt8] = [], info: [UInt8]) -> [UInt8] {
        precondition(count > 0 && count <= 255 * 32 && !secret.isEmpty && info.count <= maximumInfoCount)
        let context = unsafe OpenSSL.require(EVP_PKEY_CTX_new_from_name(nil, "HKDF", nil), "HKDF")
        defer { unsafe EVP_PKEY_CTX_free(context) }
        unsafe OpenSSL.require(EVP_PKEY_derive_init(context), "EVP_PKEY_derive_init")
        unsafe OpenSSL.require(EVP_PKEY_CTX_set_hkdf_md(context, OpenSSL.sha256), "set_hkdf_md")
        unsafe secret.withUnsafeBufferPointer { secret in
            let status = unsafe EVP_PKEY_CTX_set1_hkdf_key(context, secret.baseAddress, Int32(secret.count))
            OpenSSL.require(status, "set1_hkdf_key")
        }
        if !salt.isEmpty {
            unsafe OpenSSL.require(EVP_PKEY_CTX_set1_hkdf_salt(context, salt, Int32(salt.count)), "hkdf_salt")
        }
        if !info.isEmpty {
            unsafe OpenSSL.require(EVP_PKEY_CTX_add1_hkdf_info(context, info, Int32(info.count)), "hkdf_info")
        }
        return unsafe [UInt8](unsafeUninitializedCapacity: count) { output, initialized in
            initialized = count
            unsafe OpenSSL.require(EVP_PKEY_derive(context, output.baseAddress, &initialized), "derive")
        }
    }
}
