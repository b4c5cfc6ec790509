internal import COpenSSL

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
