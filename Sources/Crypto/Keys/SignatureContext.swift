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
