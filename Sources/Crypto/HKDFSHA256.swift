internal import COpenSSL

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
