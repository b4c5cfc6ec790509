internal import COpenSSL

/// An OpenSSL key, freed with its last reference.
///
/// The key never changes after its creation, and OpenSSL 3 lets threads sign and verify with one key concurrently if
/// each uses a context of its own.
@safe final class KeyHandle: Sendable {
    nonisolated(unsafe) let pointer: OpaquePointer

    /// Takes ownership of a key created by OpenSSL; nil means that OpenSSL rejected it.
    init(owning pointer: OpaquePointer?) throws(KeyFailure) {
        guard let pointer = unsafe pointer else {
            OpenSSL.forgetErrors()
            throw .malformed
        }
        unsafe self.pointer = pointer
    }

    deinit { unsafe EVP_PKEY_free(pointer) }

    /// OpenSSL's name of the kind of key, such as `EC`.
    var algorithm: String {
        guard let name = unsafe EVP_PKEY_get0_type_name(pointer) else { return "" }
        return unsafe String(cString: name)
    }

    /// Length of an RSA modulus in bits.
    var bits: Int { unsafe Int(EVP_PKEY_get_bits(pointer)) }

    /// Maximum length of a signature in bytes.
    var maximumSignatureCount: Int { unsafe Int(EVP_PKEY_get_size(pointer)) }

    /// OpenSSL's name of the curve; nil if the curve is given by explicit parameters instead of a name.
    var curve: String? {
        var explicit: Int32 = 0
        _ = unsafe EVP_PKEY_get_int_param(pointer, OSSL_PKEY_PARAM_EC_DECODED_FROM_EXPLICIT_PARAMS, &explicit)
        var name = [CChar](repeating: 0, count: 64)
        guard explicit == 0, unsafe EVP_PKEY_get_group_name(pointer, &name, name.count, nil) == 1 else {
            OpenSSL.forgetErrors()
            return nil
        }
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// A number of the key, big-endian in `count` bytes, or in as few as it takes.
    func number(_ name: String, count: Int? = nil) -> [UInt8] {
        var number: OpaquePointer?
        unsafe OpenSSL.require(EVP_PKEY_get_bn_param(pointer, name, &number), "EVP_PKEY_get_bn_param")
        defer { unsafe BN_clear_free(number) }
        let count = unsafe count ?? (Int(BN_num_bits(number)) + 7) / 8
        var bytes = [UInt8](repeating: 0, count: count)
        let written = unsafe BN_bn2binpad(number, &bytes, Int32(count))
        precondition(written == Int32(count), "a number of the key does not fit")
        return bytes
    }

    /// Whether the public numbers form a valid key: a point on its curve, or a modulus and a matching exponent.
    var isPublicHalfSound: Bool { unsafe passes { unsafe EVP_PKEY_public_check($0) } }

    /// Whether all numbers form a valid key and its halves match.
    var isSound: Bool { unsafe passes { unsafe EVP_PKEY_check($0) } }

    private func passes(_ check: (OpaquePointer?) -> Int32) -> Bool {
        let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, pointer, nil)
        defer { unsafe EVP_PKEY_CTX_free(context) }
        guard unsafe check(context) == 1 else {
            OpenSSL.forgetErrors()
            return false
        }
        return true
    }
}

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

/// The required kind of a key, checked before OpenSSL computes with the key's numbers.
enum KeyKind {
    case ellipticCurve
    case rsa

    /// Maximum length of such a key in DER, in octets.
    ///
    /// A key on P-256 takes some 140, a private RSA key of 8,192 bits 4,700.
    var longest: Int {
        switch self {
        case .ellipticCurve: 512
        case .rsa: 6000
        }
    }

    private var number: Int32 {
        switch self {
        case .ellipticCurve: NID_X9_62_id_ecPublicKey
        case .rsa: NID_rsaEncryption
        }
    }

    /// Rejects a key of another kind, by OpenSSL's number of the algorithm (RFC 5958 section 2), and one that is longer
    /// than `longest`.
    func require(_ algorithm: Int32, octets: Int) throws(KeyFailure) {
        guard algorithm == number else {
            guard let name = Self.name(of: algorithm) else { throw .malformed }
            throw .unsupportedAlgorithm(name)
        }
        guard octets <= longest else { throw self == .ellipticCurve ? .unsupportedCurve("") : .malformed }
    }

    /// Rejects a key whose curve is given by its parameters instead of its name (RFC 5480 section 2.1.1).
    ///
    /// OpenSSL computes with such parameters, in a time that grows with their size, before it can report whether they
    /// are those of P-256. They always name the field of the curve, so the whole key is searched for that name.
    static func requireNamedCurve(_ der: [UInt8]) throws(KeyFailure) {
        for start in der.indices where der[start] == fieldName[0] {
            let place = der[start...]
            // 1 is a prime-field, 2 a characteristic-two-field.
            guard place.starts(with: fieldName), let field = place.dropFirst(fieldName.count).first else { continue }
            if (1...2).contains(field) { throw .unsupportedCurve("") }
        }
    }

    /// The object identifier id-fieldType without its last number (RFC 3279 section 2.3.5).
    private static let fieldName: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 1]

    /// OpenSSL's name of a kind of key, as `EVP_PKEY_get0_type_name` returns it; nil for an unknown kind.
    private static func name(of algorithm: Int32) -> String? {
        switch algorithm {
        case NID_X9_62_id_ecPublicKey: "EC"
        case NID_rsaEncryption: "RSA"
        case NID_undef: nil
        default: unsafe OBJ_nid2sn(algorithm).map { unsafe String(cString: $0) }
        }
    }
}
