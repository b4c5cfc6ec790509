internal import COpenSSL

/// AES-256-GCM (NIST SP 800-38D) with 96-bit nonces and full 128-bit tags.
///
/// Random nonces are safe for 2³² messages under one key (SP 800-38D section 8.3).
public enum AES256GCM {
    /// Length of a nonce in bytes.
    public static let nonceCount = 12
    /// Length of a tag in bytes.
    public static let tagCount = 16

    /// Encrypts `plaintext` with a random nonce; returns nonce, ciphertext, and tag as one array.
    ///
    /// `associatedData` is authenticated but not included: `open` requires the same bytes.
    public static func seal(
        _ plaintext: [UInt8], with key: SymmetricKey, associatedData: [UInt8] = [], random: RandomSource = .system
    ) -> [UInt8] {
        let nonce = random.bytes(nonceCount)
        let context = Context(key, nonce, encrypts: true)
        context.authenticate(associatedData)
        return nonce + context.process(plaintext.span) + context.finishWithTag()
    }

    /// Decrypts the result of `seal`; nil if the key, the associated data, or any bit differs.
    public static func open(_ sealed: [UInt8], with key: SymmetricKey, associatedData: [UInt8] = []) -> [UInt8]? {
        guard sealed.count >= nonceCount + tagCount else { return nil }
        let context = Context(key, Array(sealed.prefix(nonceCount)), encrypts: false)
        context.authenticate(associatedData)
        let ciphertext = sealed.span.extracting(nonceCount..<sealed.count - tagCount)
        let plaintext = context.process(ciphertext)
        return context.isFinished(by: Array(sealed.suffix(tagCount))) ? plaintext : nil
    }

    /// The OpenSSL cipher context of one message.
    @safe private struct Context: ~Copyable {
        private let context: OpaquePointer

        init(_ key: SymmetricKey, _ nonce: [UInt8], encrypts: Bool) {
            let context = unsafe OpenSSL.require(EVP_CIPHER_CTX_new(), "EVP_CIPHER_CTX_new")
            key.withSpan { key in
                unsafe key.withUnsafeBufferPointer { key in
                    let status = unsafe EVP_CipherInit_ex2(
                        context, OpenSSL.aes256GCM, key.baseAddress, nonce, encrypts ? 1 : 0, nil)
                    OpenSSL.require(status, "EVP_CipherInit_ex2")
                }
            }
            unsafe self.context = context
        }

        deinit { unsafe EVP_CIPHER_CTX_free(context) }

        func authenticate(_ data: [UInt8]) {
            guard !data.isEmpty else { return }
            var written: Int32 = 0
            let status = unsafe EVP_CipherUpdate(context, nil, &written, data, Int32(data.count))
            OpenSSL.require(status, "EVP_CipherUpdate")
        }

        func process(_ input: Span<UInt8>) -> [UInt8] {
            guard !input.isEmpty else { return [] }
            return unsafe [UInt8](unsafeUninitializedCapacity: input.count) { output, initialized in
                unsafe input.withUnsafeBufferPointer { input in
                    var written: Int32 = 0
                    let status = unsafe EVP_CipherUpdate(
                        context, output.baseAddress, &written, input.baseAddress, Int32(input.count))
                    OpenSSL.require(status, "EVP_CipherUpdate")
                    initialized = Int(written)
                }
            }
        }

        func finishWithTag() -> [UInt8] {
            var written: Int32 = 0
            var rest: [UInt8] = [0]
            var tag = [UInt8](repeating: 0, count: tagCount)
            unsafe OpenSSL.require(EVP_CipherFinal_ex(context, &rest, &written), "EVP_CipherFinal_ex")
            let status = unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(tagCount), &tag)
            OpenSSL.require(status, "EVP_CTRL_AEAD_GET_TAG")
            return tag
        }

        func isFinished(by tag: [UInt8]) -> Bool {
            var written: Int32 = 0
            var rest: [UInt8] = [0]
            var tag = tag
            let status = unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(tagCount), &tag)
            OpenSSL.require(status, "EVP_CTRL_AEAD_SET_TAG")
            let isAuthentic = unsafe EVP_CipherFinal_ex(context, &rest, &written) == 1
            if !isAuthentic { OpenSSL.forgetErrors() }
            return isAuthentic
        }
    }
}
