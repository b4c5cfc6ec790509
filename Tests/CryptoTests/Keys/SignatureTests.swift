import Core
import Crypto
import TestSupport
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
        for other in signature.spoilt() { #expect(!key.isValid(other, for: message), "\(other)") }
        #expect(!key.isValid(signature, for: []))
    }

    @Test func `an ECDSA signature in DER is refused`() throws {
        let key = P256SigningKey.generate()
        let raw = try key.sign(message)

        #expect(!key.publicKey.isValid(raw.ecdsaInDER, for: message))
        #expect(!key.publicKey.isValid([UInt8](repeating: 0, count: 64), for: message))
        #expect(!key.publicKey.isValid([UInt8](repeating: 0xFF, count: 64), for: message))
    }

    @Test func `one key serves many threads`() async throws {
        let rsa = try RSASigningKey(pem: SamplePEM.rfc7515RSA)
        let p256 = P256SigningKey.generate()

        let held = try await race(8) { number in
            try (0..<20).allSatisfy { _ in
                let message = [UInt8(number)]
                let held = try rsa.publicKey.isValid(rsa.sign(message), for: message)
                return try held && p256.publicKey.isValid(p256.sign(message), for: message)
            }
        }
        #expect(held.allSatisfy { $0 })
    }
}

@Suite struct `A certificate` {
    /// Made by OpenSSL, valid for ten years.
    static let pem = """
        -----BEGIN CERTIFICATE-----
        MIIBhDCCASmgAwIBAgIUJphrk7Dq2Vy+D7IJyH2Uh2e04rswCgYIKoZIzj0EAwIw
        FzEVMBMGA1UEAwwMYWNtZS5leGFtcGxlMB4XDTI2MTEyMjAyMjgwNVoXDTM2MTEx
        OTAyMjgwNVowFzEVMBMGA1UEAwwMYWNtZS5leGFtcGxlMFkwEwYHKoZIzj0CAQYI
        KoZIzj0DAQcDQgAENhmRJjnso0smgnthFBEjs4tITe1pj6wQDHlBMaggvJhCUUss
        WD5x1EwIYHrBGHxh2S8W8TqcZSOLhw7J/03FbqNTMFEwHQYDVR0OBBYEFJ+sPn6a
        4mnId775mADEaXXehc7SMB8GA1UdIwQYMBaAFJ+sPn6a4mnId775mADEaXXehc7S
        MA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSQAwRgIhANaY3eG/ufdh5smM
        /y/l+4mybKJ0RYv8zV945oFeDKskAiEA2NCeyh06MMn9nlcQ7YGqcNUXkMGqk+pI
        OjWYw+vY9lw=
        -----END CERTIFICATE-----
        """

    @Test func `says until when it is good`() throws {
        #expect(Certificate(pem: Self.pem)?.endsAt.description == "2036-11-19T02:28:05Z")
    }

    @Test(arguments: [
        "", "-----BEGIN CERTIFICATE-----", "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
    ]) func `that is none has no end`(text: String) { #expect(Certificate(pem: text)?.endsAt == nil) }
}
