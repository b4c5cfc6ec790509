internal import COpenSSL

extension KeyHandle {
    /// Reads a private key in PKCS#8 (RFC 5958) from PEM.
    convenience init(privatePEM text: String) throws(KeyFailure) {
        let pem = try PEM(text) { label throws(KeyFailure) in
            switch label {
            case "PRIVATE KEY": break
            case "ENCRYPTED PRIVATE KEY": throw .encrypted
            case "PUBLIC KEY", "RSA PUBLIC KEY": throw .publicKey
            default: throw .unsupportedLabel(label)
            }
        }
        try self.init(privateDER: pem.der)
    }

    /// Reads a public key in SubjectPublicKeyInfo (RFC 5280) from PEM.
    convenience init(publicPEM text: String) throws(KeyFailure) {
        let pem = try PEM(text) { label throws(KeyFailure) in
            switch label {
            case "PUBLIC KEY": break
            case "PRIVATE KEY", "ENCRYPTED PRIVATE KEY", "EC PRIVATE KEY", "RSA PRIVATE KEY":
                throw .privateKey
            default: throw .unsupportedLabel(label)
            }
        }
        try self.init(publicDER: pem.der)
    }

    /// Reads a private key in PKCS#8 DER, with nothing behind it.
    convenience init(privateDER der: [UInt8]) throws(KeyFailure) {
        let key = unsafe der.withUnsafeBufferPointer { der -> OpaquePointer? in
            var position = der.baseAddress
            let info = unsafe d2i_PKCS8_PRIV_KEY_INFO(nil, &position, der.count)
            defer { unsafe PKCS8_PRIV_KEY_INFO_free(info) }
            guard unsafe info != nil, unsafe position == Self.end(of: der) else { return nil }
            return unsafe EVP_PKCS82PKEY(info)
        }
        try unsafe self.init(owning: key)
    }

    /// Reads a public key in SubjectPublicKeyInfo DER, with nothing behind it.
    convenience init(publicDER der: [UInt8]) throws(KeyFailure) {
        let key = unsafe der.withUnsafeBufferPointer { der -> OpaquePointer? in
            var position = der.baseAddress
            let key = unsafe d2i_PUBKEY(nil, &position, der.count)
            guard unsafe position == Self.end(of: der) else {
                unsafe EVP_PKEY_free(key)
                return nil
            }
            return unsafe key
        }
        try unsafe self.init(owning: key)
    }

    /// The private key in PKCS#8 PEM.
    var privatePEM: String {
        let info = unsafe OpenSSL.require(EVP_PKEY2PKCS8(pointer), "EVP_PKEY2PKCS8")
        defer { unsafe PKCS8_PRIV_KEY_INFO_free(info) }
        let der = unsafe Self.encoded { unsafe i2d_PKCS8_PRIV_KEY_INFO(info, $0) }
        return PEM(label: "PRIVATE KEY", der: der).text
    }

    /// The public key in SubjectPublicKeyInfo DER.
    var publicDER: [UInt8] {
        unsafe Self.encoded { unsafe i2d_PUBKEY(pointer, $0) }
    }

    private static func end(of bytes: UnsafeBufferPointer<UInt8>) -> UnsafePointer<UInt8>? {
        unsafe bytes.baseAddress.map { unsafe $0 + bytes.count }
    }

    /// Asks one of OpenSSL's `i2d` functions for the length, then for the bytes.
    private static func encoded(
        _ encode: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32
    ) -> [UInt8] {
        let count = encode(nil)
        precondition(count > 0, "OpenSSL cannot encode a key")
        return unsafe [UInt8](unsafeUninitializedCapacity: Int(count)) { buffer, initialized in
            var position = buffer.baseAddress
            initialized = unsafe Int(encode(&position))
        }
    }
}
