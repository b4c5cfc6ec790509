import Core
import TestAuthenticator
import Testing

@testable import Crypto

@Suite struct `Signing in with a passkey` {
    @Test(arguments: [false, true]) func `takes what its key signed`(signsWithRSA: Bool) throws {
        var ceremony = try Ceremony(signsWithRSA: signsWithRSA)
        let credential = try ceremony.register()
        ceremony.key.counter = 1

        let assertion = try ceremony.verify(ceremony.key.assert(challenge: Ceremony.challenge), of: credential)

        #expect(assertion.signCount == 1)
        #expect(assertion.isUserVerified)
    }

    /// Web Authentication Level 3 section 16.2.
    @Test func `takes the W3C's own example`() throws {
        let example = try W3CExample()
        let credential = try example.register()

        let assertion = try example.party.verify(
            example.assertion, of: credential.key, challenge: example.assertionChallenge,
            knownCount: credential.signCount, isBackupEligible: true, requiresUserVerification: false)

        #expect(assertion == Assertion(signCount: 0, isUserVerified: false, isBackedUp: true))
    }

    @Test func `is refused for what was asked otherwise`() throws {
        let ceremony = try Ceremony()
        let credential = try ceremony.register()
        func refusal(_ spoil: (inout SoftAuthenticator) -> Void) throws -> WebAuthnFailure? {
            var key = ceremony.key
            spoil(&key)
            let response = try key.assert(challenge: Ceremony.challenge)
            return try failure { try ceremony.verify(response, of: credential) }
        }
        let registration = try ceremony.key.assert(challenge: Ceremony.challenge, type: "webauthn.create")
        let other = try ceremony.key.assert(challenge: [])

        #expect(try failure { try ceremony.verify(registration, of: credential) } == .wrongType)
        #expect(try failure { try ceremony.verify(other, of: credential) } == .wrongChallenge)
        #expect(try refusal { $0.origin = "https://evil.example" } == .wrongOrigin)
        #expect(try refusal { $0.extra = ["crossOrigin": true] } == .crossOrigin)
        #expect(try refusal { $0.party = "evil.example" } == .wrongRelyingParty)
        #expect(try refusal { $0.flags = 0 } == .userNotPresent)
        #expect(try refusal { $0.flags = SoftAuthenticator.Flag.userPresent } == .userNotVerified)
        #expect(try refusal { $0.flags |= SoftAuthenticator.Flag.backupEligible } == .wrongBackupState)
    }

    @Test func `is refused for another's key`() throws {
        let ceremony = try Ceremony()
        let credential = try ceremony.register()
        let other = try Ceremony()
        let rsa = try Ceremony(signsWithRSA: true).register()
        let response = try other.key.assert(challenge: Ceremony.challenge)

        #expect(try failure { try ceremony.verify(response, of: credential) } == .wrongSignature)
        #expect(try failure { try ceremony.verify(response, of: rsa) } == .wrongSignature)
    }

    @Test func `is refused when the counter does not grow`() throws {
        var ceremony = try Ceremony()
        let credential = try ceremony.register()
        ceremony.key.counter = 5
        let five = try ceremony.key.assert(challenge: Ceremony.challenge)
        ceremony.key.counter = 0
        let none = try ceremony.key.assert(challenge: Ceremony.challenge)

        #expect(try ceremony.verify(five, of: credential, knownCount: 4).signCount == 5)
        #expect(try failure { try ceremony.verify(five, of: credential, knownCount: 5) } == .counterFellBack)
        #expect(try failure { try ceremony.verify(five, of: credential, knownCount: 6) } == .counterFellBack)
        #expect(try failure { try ceremony.verify(none, of: credential, knownCount: 1) } == .counterFellBack)
        #expect(try ceremony.verify(none, of: credential, knownCount: 0).signCount == 0)
    }

    @Test func `V30: is refused with any bit flipped or anything cut off`() throws {
        let ceremony = try Ceremony()
        let credential = try ceremony.register()
        let whole = try ceremony.key.assert(challenge: Ceremony.challenge)
        let members: [WritableKeyPath<SoftAuthenticator.Asserted, [UInt8]>] = [
            \.clientDataJSON, \.authenticatorData, \.signature,
        ]

        for member in members {
            for position in 0..<whole[keyPath: member].count * 8 {
                var response = whole
                response[keyPath: member][position / 8] ^= 1 << UInt8(position % 8)
                #expect(try failure { try ceremony.verify(response, of: credential) } != nil, "\(position)")
            }
            for count in 0..<whole[keyPath: member].count {
                var response = whole
                response[keyPath: member].removeLast(whole[keyPath: member].count - count)
                #expect(try failure { try ceremony.verify(response, of: credential) } != nil, "\(count)")
            }
        }
    }

    /// libfido2 reads extensions behind the head whatever the flag of a credential says, and libcbor sets aside what is
    /// announced: 8 GiB by the first of these.
    @Test(arguments: [
        [0x9A, 0x40, 0, 0, 0] + [UInt8](repeating: 0, count: 13),
        [0x9A, 1, 0, 0, 0, 0x9A, 1, 0, 0, 0] + [UInt8](repeating: 0, count: 8),
        [0xA1, 0x03, 0x9A, 0x0F, 0x1D, 0xBD, 0x91], [0x81, 0x01], [],
    ]) func `V43: is refused for CBOR that is hidden in a credential`(octets: [UInt8]) throws {
        let ceremony = try Ceremony()
        let credential = try ceremony.register()
        for flags in [SoftAuthenticator.Flag.attested, 0] {
            var key = ceremony.key
            key.flags |= flags | SoftAuthenticator.Flag.extended
            var response = try key.assert(challenge: Ceremony.challenge)
            response.authenticatorData += octets
            let refusal = try failure { try ceremony.verify(response, of: credential) }
            // Whole CBOR that is no map of extensions is libfido2's to refuse.
            let isLeft = flags == 0 && [[0x81, 0x01], []].contains(octets)
            #expect(refusal == (isLeft ? .wrongSignature : .malformedAuthenticatorData), "\(flags) \(octets)")
        }
    }

    @Test func `is refused with a credential in it`() throws {
        var ceremony = try Ceremony()
        let credential = try ceremony.register()
        ceremony.key.flags |= SoftAuthenticator.Flag.attested
        let response = try ceremony.key.assert(challenge: Ceremony.challenge)

        #expect(try failure { try ceremony.verify(response, of: credential) } == .malformedAuthenticatorData)
    }

    @Test func `is refused for a kept key that is none`() throws {
        let ceremony = try Ceremony()
        let credential = try ceremony.register()
        let response = try ceremony.key.assert(challenge: Ceremony.challenge)

        for key in [
            CredentialKey(.es256, []), CredentialKey(.es256, [UInt8](repeating: 1, count: 64)),
            CredentialKey(.rs256, credential.key.bytes),
        ] {
            let kept = Credential(
                id: credential.id, key: key, signCount: 0, isBackupEligible: false, isBackedUp: false,
                isUserVerified: true)
            #expect(try failure { try ceremony.verify(response, of: kept) } != nil)
        }
    }

    @Test func `names its challenge before it is checked, whatever it is`() throws {
        let ceremony = try Ceremony()
        let response = RegistrationResponse(
            clientDataJSON: ceremony.key.register(challenge: [1, 2, 3]).clientDataJSON, authenticatorData: [])

        #expect(response.claimedChallenge == [1, 2, 3])
        for garbage in ["", "{}", "[]", "{\"type\":1}", String(repeating: "[", count: 5000)] {
            let response = RegistrationResponse(clientDataJSON: Array(garbage.utf8), authenticatorData: [])
            #expect(response.claimedChallenge == nil)
        }
    }
}

@Suite struct `What a page hands to the browser` {
    @Test func `is JSON with binary values in base64url`() throws {
        let party = try #require(RelyingParty(publicURL: "http://localhost:8080"))
        let options = CreationOptions(
            party: party, partyName: "Acme \"</script>", userHandle: [1, 2, 3], userName: "ada@acme.example",
            displayName: "Ada", challenge: [0xFB, 0xFF], excluded: [[9]])
        let request = RequestOptions(party: party, challenge: [1], allowed: [], requiresUserVerification: true)

        let creation = try JSON.decode(JSONValue.self, from: Array(options.json.utf8))
        let asked = try JSON.decode(JSONValue.self, from: Array(request.json.utf8))

        #expect(creation["challenge"] == "-_8")
        #expect(creation["user"]?["id"] == "AQID")
        #expect(creation["rp"]?["id"] == "localhost")
        #expect(creation["attestation"] == "none")
        #expect(
            creation["pubKeyCredParams"] == [["type": "public-key", "alg": -7], ["type": "public-key", "alg": -257]])
        #expect(creation["excludeCredentials"] == [["type": "public-key", "id": "CQ"]])
        #expect(asked["userVerification"] == "required")
        #expect(asked["allowCredentials"] == [])
    }
}
