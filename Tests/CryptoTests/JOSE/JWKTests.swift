import Core
import Crypto
import Testing

@Suite struct `Key sets` {
    /// The key of RFC 7638 section 3.1.
    static let rfc7638Modulus = [
        "0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86z",
        "wu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5Js",
        "GY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMic",
        "AtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-",
        "bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csF", "Cur-kEgU8awapJzKnqDKgw",
    ].joined()

    static let rfc7515X = "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"
    static let rfc7515Y = "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"

    @Test func `the thumbprint of RFC 7638`() throws {
        let key = try JWK([
            "kty": "RSA", "n": .string(Self.rfc7638Modulus), "e": "AQAB", "alg": "RS256", "kid": "2011-04-29",
        ])

        #expect(key.thumbprint == "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs")
        #expect(key.keyID == "2011-04-29")
    }

    @Test func `the thumbprint of a P-256 key covers crv, kty, x and y`() throws {
        let key = try JWK(.p256(P256PublicKey(pem: SamplePEM.rfc7515P256Public)), keyID: nil)
        let canonical = #"{"crv":"P-256","kty":"EC","x":"\#(Self.rfc7515X)","y":"\#(Self.rfc7515Y)"}"#

        #expect(key.thumbprint == Base64URL.encode(SHA256.hash(canonical)))
    }

    @Test func `a set is written in Apple's order and read back`() throws {
        let rsa = try RSASigningKey(pem: SamplePEM.rfc7515RSA).publicKey
        let p256 = try P256PublicKey(pem: SamplePEM.rfc7515P256Public)

        let set = JWKSet([JWK(.rsa(rsa), keyID: "one"), JWK(.p256(p256), keyID: "two")])
        let read = try JWKSet(json: set.json)

        let modulus = Base64URL.encode(rsa.modulus)
        #expect(
            String(decoding: set.json, as: UTF8.self)
                == [
                    #"{"keys":[{"kty":"RSA","kid":"one","use":"sig","alg":"RS256","#,
                    #""n":"\#(modulus)","e":"AQAB"},"#,
                    #"{"kty":"EC","kid":"two","use":"sig","alg":"ES256","crv":"P-256","#,
                    #""x":"\#(Self.rfc7515X)","y":"\#(Self.rfc7515Y)"}]}"#,
                ].joined())
        #expect(read.json == set.json)
        #expect(modulus.hasPrefix("ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0"))
    }

    @Test func `a name leads to a key only for its algorithm, and only when it is the only one`() throws {
        let p256 = JWK.Key.p256(P256SigningKey.generate().publicKey)
        let set = JWKSet([
            JWK(p256, keyID: "one"), JWK(p256, keyID: "twice"), JWK(p256, keyID: "twice"), JWK(p256, keyID: nil),
        ])

        #expect(set.key(id: "one", algorithm: .es256) != nil)
        #expect(set.key(id: "one", algorithm: .rs256) == nil)
        #expect(set.key(id: "twice", algorithm: .es256) == nil)
        #expect(set.key(id: "other", algorithm: .es256) == nil)
        #expect(set.key(id: "", algorithm: .es256) == nil)
    }

    static let refusals: [(JSONValue, KeyFailure)] = [
        ([:], .unsupportedAlgorithm("")), ("RSA", .unsupportedAlgorithm("")),
        (["kty": "oct", "k": "AAAA"], .unsupportedAlgorithm("oct")),
        (["kty": "OKP", "crv": "Ed25519"], .unsupportedAlgorithm("OKP")), (["kty": "RSA"], .malformed),
        (["kty": "RSA", "n": "AQAB", "e": "AQAB"], .unsupportedSize(bits: 17)),
        (["kty": "RSA", "n": "", "e": ""], .unsupportedSize(bits: 0)),
        (["kty": "RSA", "n": .string(rfc7638Modulus), "e": "AQ"], .malformed),
        (["kty": "RSA", "n": .string(rfc7638Modulus), "e": ""], .malformed),
        (["kty": "RSA", "n": .string(rfc7638Modulus), "e": "AQAC"], .malformed),
        (["kty": "RSA", "n": .string(rfc7638Modulus), "e": "AQAB="], .malformed),
        (["kty": "RSA", "n": .string(rfc7638Modulus), "e": .string(rfc7638Modulus)], .malformed),
        (["kty": "RSA", "n": .string(rfc7638Modulus), "e": "AQAB", "use": "enc"], .unsupportedAlgorithm("use")),
        (["kty": "RSA", "n": .string(rfc7638Modulus), "e": "AQAB", "alg": "ES256"], .unsupportedAlgorithm("ES256")),
        (["kty": "RSA", "n": .string(rfc7638Modulus), "e": "AQAB", "alg": 1], .unsupportedAlgorithm("")),
        (["kty": "EC", "crv": "P-384"], .unsupportedCurve("P-384")),
        (["kty": "EC", "crv": "P-256", "x": .string(rfc7515X)], .malformed),
        (["kty": "EC", "crv": "P-256", "x": .string(rfc7515X), "y": .string(rfc7515X)], .malformed),
        (["kty": "EC", "crv": "P-256", "x": .string(rfc7515X), "y": "AAAA"], .malformed),
    ]

    @Test(arguments: refusals) func `a key that is not for us is refused`(json: JSONValue, failure: KeyFailure) {
        #expect(throws: failure) { try JWK(json) }
    }

    @Test func `a set leaves out what it cannot use, and has limits`() throws {
        let key = P256SigningKey.generate().publicKey
        let json = String(decoding: JWK(.p256(key), keyID: "one").json, as: UTF8.self)
        let mixed = #"{"keys":[{"kty":"oct","k":"AAAA"},\#(json),1,null]}"#
        let many = #"{"keys":["# + Array(repeating: "1", count: JWKSet.maximumKeys + 1).joined(separator: ",") + "]}"

        #expect(try JWKSet(json: Array(mixed.utf8)).keys.map(\.keyID) == ["one"])
        #expect(throws: JWKSet.Failure.tooLarge) { try JWKSet(json: Array(many.utf8)) }
        #expect(throws: JWKSet.Failure.tooLarge) {
            try JWKSet(json: [UInt8](repeating: 0x20, count: JWKSet.maximumCount + 1))
        }
        for text in ["", "[]", "{}", #"{"keys":{}}"#, #"{"keys":[],"keys":[]}"#] {
            #expect(throws: JWKSet.Failure.malformed) { try JWKSet(json: Array(text.utf8)) }
        }
    }
}

/// The examples of OpenID Connect Core 1.0 appendix A.
@Suite struct `Token hash` {
    @Test func `the at_hash and c_hash of OpenID Connect's examples`() {
        #expect(TokenHash.of("jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y") == "77QmUPtjPfzWtF2AnpK9RQ")
        #expect(TokenHash.of("Qcb0Orv1zh30vL1MPRsbm-diHiMwcLyZvn1arpZv-Jxf_11jnpEX3Tgfvk") == "LDktKdoQak3Pk0cnXxCltA")
    }
}
