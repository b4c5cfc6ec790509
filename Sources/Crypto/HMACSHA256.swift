internal import COpenSSL

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
