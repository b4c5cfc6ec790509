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
