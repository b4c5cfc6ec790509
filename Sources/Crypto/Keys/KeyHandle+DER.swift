internal import COpenSSL

extension KeyHandle {
    /// Reads a private key of the given kind in PKCS#8 (RFC 5958) from PEM.
    convenience init(privatePEM text: String, of kind: KeyKind) throws(KeyFailure) {
        let pem = try PEM(text, assuming: "PRIVATE KEY") { label throws(KeyFailure) in
            switch label {
            case "PRIVATE KEY": break
            case "ENCRYPTED PRIVATE KEY": throw .encrypted
            case "PUBLIC KEY", "RSA PUBLIC KEY": throw .publicKey
            default: throw .unsupportedLabel(label)
            }
        }
        try self.init(privateDER: pem.der, of: kind)
    }

    /// Reads a public key of the given kind in SubjectPublicKeyInfo (RFC 5280) from PEM.
    convenience init(publicPEM text: String, of kind: KeyKind) throws(KeyFailure) {
        let pem = try PEM(text, assuming: "PUBLIC KEY") { label throws(KeyFailure) in
            switch label {
            case "PUBLIC KEY": break
            case "PRIVATE KEY", "ENCRYPTED PRIVATE KEY", "EC PRIVATE KEY", "RSA PRIVATE KEY": throw .privateKey
            default: throw .unsupportedLabel(label)
            }
        }
        try self.init(publicDER: pem.der, of: kind)
    }

    /// Reads a private key of the given kind in PKCS#8 DER, without trailing data.
    ///
    /// OpenSSL accepts every kind, and computes with the numbers of some before the kind can be queried: for a DSA key,
    /// the time grows with the size of the numbers. So the kind that the key declares is checked first.
    convenience init(privateDER octets: [UInt8], of kind: KeyKind) throws(KeyFailure) {
        let key = try unsafe octets.withUnsafeBufferPointer { der throws(KeyFailure) -> OpaquePointer? in
            var position = der.baseAddress
            let info = unsafe d2i_PKCS8_PRIV_KEY_INFO(nil, &position, der.count)
            defer { unsafe PKCS8_PRIV_KEY_INFO_free(info) }
            guard unsafe info != nil, unsafe position == Self.end(of: der) else { return nil }
            var algorithm: OpaquePointer?
            guard unsafe PKCS8_pkey_get0(&algorithm, nil, nil, nil, info) == 1 else { return nil }
            try kind.require(unsafe OBJ_obj2nid(algorithm), octets: der.count)
            try KeyKind.requireNamedCurve(octets)
            return unsafe EVP_PKCS82PKEY(info)
        }
        try unsafe self.init(owning: key)
    }

    /// Reads a public key in SubjectPublicKeyInfo DER, without trailing data, not longer than a key of `kind` may be.
    convenience init(publicDER der: [UInt8], of kind: KeyKind) throws(KeyFailure) {
        guard der.count <= kind.longest else { throw .malformed }
        try KeyKind.requireNamedCurve(der)
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
    var publicDER: [UInt8] { unsafe Self.encoded { unsafe i2d_PUBKEY(pointer, $0) } }

    private static func end(of bytes: UnsafeBufferPointer<UInt8>) -> UnsafePointer<UInt8>? {
        unsafe bytes.baseAddress.map { unsafe $0 + bytes.count }
    }

    /// Calls one of OpenSSL's `i2d` functions for the length, then for the bytes.
    private static func encoded(_ encode: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32) -> [UInt8] {
        let count = encode(nil)
        precondition(count > 0, "OpenSSL cannot encode a key")
        return unsafe [UInt8](unsafeUninitializedCapacity: Int(count)) { buffer, initialized in
            var position = buffer.baseAddress
            initialized = unsafe Int(encode(&position))
        }
    }
}
