import Bytes
import Crypto
import Testing

@Suite struct `Signatures` {
    private let message = Array("Ada signs in".utf8)

    @Test func `a new P-256 key signs and survives its own PEM`() throws {
        let key = P256SigningKey.generate()
        let again = try P256SigningKey(pem: key.pem)

        let signature = try again.sign(message)

        #expect(signature.count == 64)
        #expect(key.publicKey.isValid(signature, for: message))
        #expect(try P256PublicKey(pem: key.publicKey.pem).isValid(signature, for: message))
        #expect(try P256PublicKey(der: key.publicKey.der).der == key.publicKey.der)
        #expect(P256SigningKey.generate().pem != key.pem)
    }

    @Test func `a new RSA key signs and survives its own PEM`() throws {
        let key = try RSASigningKey.generate()
        let again = try RSASigningKey(pem: key.pem)

        let signature = try again.sign(message)

        #expect(signature.count == 256)
        #expect(key.publicKey.isValid(signature, for: message))
        #expect(try RSAPublicKey(pem: key.publicKey.pem).isValid(signature, for: message))
        #expect(key.publicKey.exponent == [1, 0, 1])
        #expect(throws: KeyFailure.unsupportedSize(bits: 1024)) { try RSASigningKey.generate(bits: 1024) }
    }

    @Test func `no signature holds once it is changed, shortened or extended`() throws {
        let p256 = P256SigningKey.generate()
        let rsa = try RSASigningKey(pem: SamplePEM.rfc7515RSA)

        try expectRigid(signature: p256.sign(message), key: p256.publicKey)
        try expectRigid(signature: rsa.sign(message), key: rsa.publicKey)
    }

    private func expectRigid(signature: [UInt8], key: some VerifyingKey) throws {
        for bit in 0..<signature.count * 8 {
            var changed = signature
            changed[bit / 8] ^= 1 << (bit % 8)
            #expect(!key.isValid(changed, for: message), "bit \(bit)")
        }
        for count in signature.indices {
            #expect(!key.isValid(Array(signature[..<count]), for: message), "cut to \(count)")
        }
        #expect(!key.isValid(signature + [0], for: message))
        #expect(!key.isValid([0] + signature, for: message))
        #expect(!key.isValid(signature, for: []))
    }

    @Test func `an ECDSA signature in DER is refused`() throws {
        let key = P256SigningKey.generate()
        let raw = try key.sign(message)

        #expect(!key.publicKey.isValid(der(raw), for: message))
        #expect(!key.publicKey.isValid([UInt8](repeating: 0, count: 64), for: message))
        #expect(!key.publicKey.isValid([UInt8](repeating: 0xFF, count: 64), for: message))
    }

    /// The sequence of r and s that most libraries hand out.
    private func der(_ raw: [UInt8]) -> [UInt8] {
        let numbers = [raw[..<32], raw[32...]].flatMap { number in
            let digits = number.drop { $0 == 0 }
            let bytes = (digits.first ?? 0) > 127 ? [0] + digits : Array(digits)
            return [0x02, UInt8(bytes.count)] + bytes
        }
        return [0x30, UInt8(numbers.count)] + numbers
    }

    @Test func `the signature of one key is not that of another`() throws {
        let signature = try P256SigningKey.generate().sign(message)

        #expect(!P256SigningKey.generate().publicKey.isValid(signature, for: message))
    }

    @Test func `one key serves many threads`() async throws {
        let rsa = try RSASigningKey(pem: SamplePEM.rfc7515RSA)
        let p256 = P256SigningKey.generate()

        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in UInt8(0)..<8 {
                group.addTask {
                    try (0..<20).allSatisfy { _ in
                        let message = [number]
                        let held = try rsa.publicKey.isValid(rsa.sign(message), for: message)
                        return try held && p256.publicKey.isValid(p256.sign(message), for: message)
                    }
                }
            }
            for try await held in group { #expect(held) }
        }
    }
}
