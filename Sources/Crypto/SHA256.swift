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

/// HMAC-SHA256 (RFC 2104) with one key, prepared once and usable from any thread.
@safe public final class HMACSHA256: Sendable {
    /// Length of a code in bytes.
    public static let byteCount = 32

    // Keyed in init and never changed: each code is computed on a duplicate, which only reads this context.
    private nonisolated(unsafe) let keyed: OpaquePointer

    /// Prepares a key of any length.
    public init(key: [UInt8]) { unsafe keyed = Self.context(keyedWith: key.span) }

    /// Prepares a symmetric key.
    public init(key: SymmetricKey) { unsafe keyed = key.withSpan { unsafe Self.context(keyedWith: $0) } }

    deinit { unsafe EVP_MAC_CTX_free(keyed) }

    /// The 32-byte authentication code of `message`.
    public func code(for message: Span<UInt8>) -> [UInt8] {
        let context = unsafe OpenSSL.require(EVP_MAC_CTX_dup(keyed), "EVP_MAC_CTX_dup")
        defer { unsafe EVP_MAC_CTX_free(context) }
        unsafe message.withUnsafeBufferPointer { message in
            unsafe OpenSSL.require(EVP_MAC_update(context, message.baseAddress, message.count), "EVP_MAC_update")
        }
        return unsafe [UInt8](unsafeUninitializedCapacity: Self.byteCount) { code, initialized in
            let status = unsafe EVP_MAC_final(context, code.baseAddress, &initialized, code.count)
            OpenSSL.require(status, "EVP_MAC_final")
        }
    }

    /// The 32-byte authentication code of `message`.
    public func code(for message: [UInt8]) -> [UInt8] { code(for: message.span) }

    private static func context(keyedWith key: Span<UInt8>) -> OpaquePointer {
        let context = unsafe OpenSSL.require(EVP_MAC_CTX_new(OpenSSL.hmac), "EVP_MAC_CTX_new")
        unsafe key.withUnsafeBufferPointer { key in
            // A null pointer would mean "keep the key", so an empty key still needs an address.
            let address = unsafe key.baseAddress ?? UnsafePointer(bitPattern: 1)
            unsafe OpenSSL.require(COpenSSL_HMAC_SHA256_init(context, address, key.count), "EVP_MAC_init")
        }
        return unsafe context
    }
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
