import Core
import TestAuthenticator
import Testing

@testable import Crypto

@Suite struct `Registering a passkey` {
    @Test(arguments: [false, true]) func `takes its key, whichever algorithm it has`(signsWithRSA: Bool) throws {
        var ceremony = try Ceremony(signsWithRSA: signsWithRSA)
        ceremony.key.counter = 3

        let credential = try ceremony.register()

        #expect(credential.id == ceremony.key.credentialID)
        #expect(credential.key.algorithm == (signsWithRSA ? .rs256 : .es256))
        #expect(credential.signCount == 3)
        #expect(credential.isUserVerified && !credential.isBackupEligible && !credential.isBackedUp)
    }

    @Test func `tells whether the key may be copied`() throws {
        var ceremony = try Ceremony()
        ceremony.key.flags |= SoftAuthenticator.Flag.backupEligible | SoftAuthenticator.Flag.backedUp

        let credential = try ceremony.register()

        #expect(credential.isBackupEligible && credential.isBackedUp)
    }

    /// Web Authentication Level 3 section 16.2, “ES256 Credential with No Attestation”.
    @Test func `takes the W3C's own example`() throws {
        let example = try W3CExample()

        let credential = try example.register()

        #expect(credential.id == example.credentialID)
        #expect(credential.key.algorithm == .es256)
        #expect(credential.isBackupEligible && credential.isBackedUp && !credential.isUserVerified)
    }

    @Test func `is refused for what was asked otherwise`() throws {
        let ceremony = try Ceremony()
        func refusal(_ spoil: (inout SoftAuthenticator) -> Void) throws -> WebAuthnFailure? {
            var key = ceremony.key
            spoil(&key)
            let response = key.register(challenge: Ceremony.challenge)
            return try failure { try ceremony.register(response) }
        }
        let assertion = ceremony.key.register(challenge: Ceremony.challenge, type: "webauthn.get")
        let other = ceremony.key.register(challenge: [1, 2, 3])

        #expect(try failure { try ceremony.register(assertion) } == .wrongType)
        #expect(try failure { try ceremony.register(other) } == .wrongChallenge)
        #expect(try refusal { $0.origin = "https://id.acme.example.evil.example" } == .wrongOrigin)
        #expect(try refusal { $0.origin = "http://id.acme.example" } == .wrongOrigin)
        #expect(try refusal { $0.extra = ["crossOrigin": true] } == .crossOrigin)
        #expect(try refusal { $0.extra = ["topOrigin": "https://evil.example"] } == .crossOrigin)
        #expect(try refusal { $0.party = "evil.example" } == .wrongRelyingParty)
        #expect(try refusal { $0.flags = SoftAuthenticator.Flag.userVerified } == .userNotPresent)
        #expect(try refusal { $0.flags |= SoftAuthenticator.Flag.backedUp } == .wrongBackupState)
        #expect(try refusal { $0.credentialID = [] } == .malformedAuthenticatorData)
        #expect(try refusal { $0.extra = [:] } == nil)
    }

    @Test func `asks for PIN or biometrics where they are wanted`() throws {
        var ceremony = try Ceremony()
        ceremony.key.flags = SoftAuthenticator.Flag.userPresent

        #expect(try !ceremony.register().isUserVerified)
        #expect(try failure { try ceremony.register(requiresUserVerification: true) } == .userNotVerified)
    }

    @Test func `refuses a point beside the curve, and data without a credential in it`() throws {
        let ceremony = try Ceremony()
        let whole = ceremony.key.register(challenge: Ceremony.challenge)
        for (octet, bit, refusal) in [
            (whole.authenticatorData.count - 1, 1, WebAuthnFailure.unsupportedKey),
            (32, SoftAuthenticator.Flag.attested, .malformedAuthenticatorData),
        ] {
            var response = whole
            response.authenticatorData[octet] ^= bit
            #expect(try failure { try ceremony.register(response) } == refusal, "octet \(octet)")
        }
    }

    @Test func `survives every truncation and every flipped bit`() throws {
        for signsWithRSA in [false, true] {
            let ceremony = try Ceremony(signsWithRSA: signsWithRSA)
            let whole = ceremony.key.register(challenge: Ceremony.challenge)

            for count in 0..<whole.authenticatorData.count {
                var response = whole
                response.authenticatorData.removeLast(whole.authenticatorData.count - count)
                #expect(try failure { try ceremony.register(response) } != nil, "\(count) octets")
            }
            // The octets of an RSA key are many, and all alike.
            for position in stride(from: 0, to: whole.authenticatorData.count * 8, by: signsWithRSA ? 7 : 1) {
                var response = whole
                response.authenticatorData[position / 8] ^= 1 << UInt8(position % 8)
                _ = try? ceremony.register(response)
            }
            for count in 0..<whole.clientDataJSON.count {
                var response = whole
                response.clientDataJSON.removeLast(whole.clientDataJSON.count - count)
                #expect(try failure { try ceremony.register(response) } == .malformedClientData)
            }
        }
    }

    @Test func `survives CBOR that promises more than there is`() throws {
        let ceremony = try Ceremony()
        let head = Array(ceremony.key.register(challenge: Ceremony.challenge).authenticatorData[..<55])
        let bombs: [[UInt8]] = [
            [0xBB, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], [0x9B, 0x7F, 0xFF, 0xFF, 0xFF],
            [UInt8](repeating: 0x81, count: 3000), [UInt8](repeating: 0xA1, count: 3000),
            [UInt8](repeating: 0x9F, count: 3000), [0x5B, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], [0xFF], [],
            [0xA1, 0x03, 0x9A, 0x0F, 0x1D, 0xBD, 0x91],
        ]

        for bomb in bombs {
            let response = SoftAuthenticator.Registered(
                clientDataJSON: ceremony.key.register(challenge: Ceremony.challenge).clientDataJSON,
                authenticatorData: head + ceremony.key.credentialID + bomb)
            let wanted: WebAuthnFailure = bomb.isEmpty ? .unsupportedKey : .malformedAuthenticatorData
            #expect(try failure { try ceremony.register(response) } == wanted)
        }
    }
}
