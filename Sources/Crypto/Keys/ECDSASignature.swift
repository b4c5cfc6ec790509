internal import COpenSSL

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
