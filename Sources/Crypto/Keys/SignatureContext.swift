internal import COpenSSL

/// A key prepared to sign or verify SHA-256 digests.
///
/// Preparation looks up algorithms by name, so it is done once; every operation uses a duplicate, which is cheap and
/// lets threads use one key concurrently.
@safe final class SignatureContext: Sendable {
    // Prepared in init and never changed; duplication only reads it.
    private nonisolated(unsafe) let prepared: OpaquePointer
    private let maximumSignatureCount: Int

    /// Operation that a context is prepared for.
    enum Operation {
        case signing
        case verifying
    }

    /// Prepares `key`; RSA signatures use PKCS#1 v1.5 padding.
    init(_ key: KeyHandle, for operation: Operation) {
        let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, key.pointer, nil)
        let prepared = unsafe OpenSSL.require(context, "EVP_PKEY_CTX_new_from_pkey")
        switch operation {
        case .signing: unsafe OpenSSL.require(EVP_PKEY_sign_init(prepared), "EVP_PKEY_sign_init")
        case .verifying: unsafe OpenSSL.require(EVP_PKEY_verify_init(prepared), "EVP_PKEY_verify_init")
        }
        unsafe OpenSSL.require(EVP_PKEY_CTX_set_signature_md(prepared, OpenSSL.sha256), "set_signature_md")
        if key.algorithm == "RSA" {
            let status = unsafe EVP_PKEY_CTX_set_rsa_padding(prepared, RSA_PKCS1_PADDING)
            OpenSSL.require(status, "set_rsa_padding")
        }
        unsafe self.prepared = prepared
        maximumSignatureCount = key.maximumSignatureCount
    }

    deinit { unsafe EVP_PKEY_CTX_free(prepared) }

    /// Signs a digest and returns the signature in OpenSSL's format, which is DER for ECDSA.
    func sign(_ digest: [UInt8]) throws(SigningFailure) -> [UInt8] {
        let context = unsafe OpenSSL.require(EVP_PKEY_CTX_dup(prepared), "EVP_PKEY_CTX_dup")
        defer { unsafe EVP_PKEY_CTX_free(context) }
        var count = maximumSignatureCount
        var signature = [UInt8](repeating: 0, count: count)
        let status = unsafe EVP_PKEY_sign(context, &signature, &count, digest, digest.count)
        guard status == 1 else { throw SigningFailure() }
        signature.removeLast(signature.count - count)
        return signature
    }

    /// Whether `signature`, in OpenSSL's format, is valid for the digest.
    func isValid(_ signature: [UInt8], for digest: [UInt8]) -> Bool {
        let context = unsafe OpenSSL.require(EVP_PKEY_CTX_dup(prepared), "EVP_PKEY_CTX_dup")
        defer { unsafe EVP_PKEY_CTX_free(context) }
        let status = unsafe EVP_PKEY_verify(context, signature, signature.count, digest, digest.count)
        if status != 1 { OpenSSL.forgetErrors() }
        return status == 1
    }
}

/// Conversion of P-256 ECDSA signatures between the formats of JWS and OpenSSL.
///
/// JWS writes the two numbers as 32 bytes each (RFC 7518 section 3.4), OpenSSL as a DER sequence. Other code sees only
/// the 64 bytes, because DER would give one signature several encodings.
enum ECDSASignature {
    private static let numberCount = 32

    /// Converts the 64 bytes to DER; nil for any other length.
    static func der(fromRaw raw: [UInt8]) -> [UInt8]? {
        guard raw.count == 2 * numberCount else { return nil }
        let signature = unsafe OpenSSL.require(ECDSA_SIG_new(), "ECDSA_SIG_new")
        defer { unsafe ECDSA_SIG_free(signature) }
        unsafe raw.withUnsafeBufferPointer { raw in
            let r = unsafe BN_bin2bn(raw.baseAddress, Int32(numberCount), nil)
            let s = unsafe BN_bin2bn(raw.baseAddress.map { unsafe $0 + numberCount }, Int32(numberCount), nil)
            // The signature owns both numbers from here on.
            unsafe OpenSSL.require(ECDSA_SIG_set0(signature, r, s), "ECDSA_SIG_set0")
        }
        // A sequence of two numbers of at most 33 bytes, each after two bytes of tag and length.
        return unsafe [UInt8](unsafeUninitializedCapacity: 72) { buffer, initialized in
            var position = buffer.baseAddress
            initialized = unsafe Int(i2d_ECDSA_SIG(signature, &position))
        }
    }

    /// Converts DER written by OpenSSL to the 64 bytes.
    static func raw(fromDER der: [UInt8]) throws(SigningFailure) -> [UInt8] {
        let signature = unsafe der.withUnsafeBufferPointer { der -> OpaquePointer? in
            var position = der.baseAddress
            return unsafe d2i_ECDSA_SIG(nil, &position, der.count)
        }
        guard let signature = unsafe signature else { throw SigningFailure() }
        defer { unsafe ECDSA_SIG_free(signature) }
        var r = [UInt8](repeating: 0, count: numberCount)
        var s = r
        let rCount = unsafe BN_bn2binpad(ECDSA_SIG_get0_r(signature), &r, Int32(numberCount))
        let sCount = unsafe BN_bn2binpad(ECDSA_SIG_get0_s(signature), &s, Int32(numberCount))
        guard rCount == numberCount, sCount == numberCount else { throw SigningFailure() }
        return r + s
    }
}
