import Core
import Crypto
import TestSupport
import Testing

@Suite struct `JWT` {
    private let key = P256SigningKey.generate()
    private var signer: JWTSigner { JWTSigner(key: key, keyID: "ACMEKEY001") }
    private let claims = Array(#"{"iss":"ACME000001","sub":"com.acme.web","exp":1800000000}"#.utf8)

    /// A token with this header and these claims, properly signed.
    private func token(header: String, claims: String = "{}") throws -> String {
        let signedPart = Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(Array(claims.utf8))
        return try signedPart + "." + Base64URL.encode(key.sign(Array(signedPart.utf8)))
    }

    @Test func `a token comes back as it was signed`() throws {
        let token = try UnverifiedJWT(signer.sign(claims))

        let claims = try token.verify(with: key.publicKey)

        #expect(token.header.algorithm == .es256)
        #expect(token.header.keyID == "ACMEKEY001")
        #expect(try token.unverifiedClaims.string("sub") == "com.acme.web")
        #expect(try claims.string("iss") == "ACME000001")
        #expect(try claims.integer("exp") == 1_800_000_000)
    }

    @Test func `the header is kid and alg in Apple's order, and typ where asked for`() throws {
        let plain = try signer.sign(claims)
        let typed = try JWTSigner(key: key, keyID: "ACMEKEY001", type: "JWT").sign(claims)

        #expect(plain.hasPrefix(Base64URL.encode(Array(#"{"kid":"ACMEKEY001","alg":"ES256"}"#.utf8)) + "."))
        #expect(try Set(UnverifiedJWT(typed).header.members.keys) == ["kid", "alg", "typ"])
        #expect(try UnverifiedJWT(typed).header.type == "JWT")
    }

    @Test func `no token holds once a character is changed, missing or added`() throws {
        let token = Array(try signer.sign(claims).utf8)
        let characters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.= +/".utf8)

        var choice = Garbage(seed: 1)
        for other in token.spoilt(bits: 1) + characters.map({ token + [$0] }) { expectRefused(other) }
        for index in token.indices {
            // At the ends of each of the three parts all of them, elsewhere one.
            let isEnd = [index - 1, index, index + 1].contains { !token.indices.contains($0) || token[$0] == 0x2E }
            let others = characters.filter { $0 != token[index] }.shuffled(using: &choice)
            for character in others.prefix(isEnd ? others.count : 1) {
                expectRefused(token[..<index] + [character] + token[(index + 1)...])
            }
        }
    }

    private func expectRefused(_ token: [UInt8]) {
        let text = String(decoding: token, as: UTF8.self)
        #expect(throws: JWTFailure.self) { try UnverifiedJWT(text).verify(with: key.publicKey) }
    }

    @Test(arguments: [
        "none", "None", "NONE", "", "HS256", "HS512", "RS512", "PS256", "ES384", "ES256K", "EdDSA", "es256", "RS256 ",
    ]) func `an algorithm not spoken here is refused before any key is looked for`(name: String) throws {
        let token = try token(header: #"{"alg":"\#(name)","kid":"ACMEKEY001"}"#)

        #expect(throws: JWTFailure.unsupportedAlgorithm(name)) { try UnverifiedJWT(token) }
    }

    @Test(arguments: [
        ("{}", JWTFailure.unsupportedAlgorithm("")), (#"{"alg":null}"#, .unsupportedAlgorithm("")),
        (#"{"alg":["ES256"]}"#, .unsupportedAlgorithm("")), (#"{"alg":"ES256","alg":"none"}"#, .malformedHeader),
        (#"{"alg":"ES256","alg":"ES256"}"#, .malformedHeader), (#"{"alg":"ES256","kid":1}"#, .malformedHeader),
        (#"{"alg":"ES256","kid":null}"#, .malformedHeader), (#"{"alg":"ES256","typ":true}"#, .malformedHeader),
        (#"{"alg":"ES256","crit":["exp"]}"#, .unsupportedExtension),
        (#"{"alg":"ES256","b64":false,"crit":["b64"]}"#, .unsupportedExtension),
        (#"{"alg":"ES256"}x"#, .malformedHeader), (#"["ES256"]"#, .malformedHeader), (#""ES256""#, .malformedHeader),
        ("", .malformedHeader), (#"{"alg":"ES256","jwk":\#(String(repeating: "[", count: 2000))"#, .malformedHeader),
    ]) func `a header that is not plain is refused`(header: String, failure: JWTFailure) throws {
        let token = try token(header: header)

        #expect(throws: failure) { try UnverifiedJWT(token) }
    }

    @Test(arguments: [
        #"{"iss":"a","iss":"b"}"#, #"{"iss":"a","\u0069ss":"b"}"#, #"{"a":{"b":1,"b":2}}"#, "[]", "null", "", "{",
        "{}{}", #"{"iss":"a",}"#, #"{"iss":"\u0000"}"#, #"{"iss":"\ud800"}"#, "{\"iss\":\"a\n\"}", #"{"exp":01}"#,
        #"{"exp":NaN}"#, #"{"exp":1e999}"#, #"{"exp":+1}"#, #"{"exp":1.}"#, #"{"exp":.5}"#, #"{"exp":-}"#,
        #"{"exp":0x10}"#, String(repeating: #"{"a":"#, count: 9) + "1" + String(repeating: "}", count: 9),
        String(repeating: "[", count: 5000),
    ]) func `claims that two readers could read differently are refused`(claims: String) throws {
        let token = try token(header: #"{"alg":"ES256"}"#, claims: claims)

        #expect(throws: JWTFailure.malformedClaims) { try UnverifiedJWT(token) }
    }

    @Test func `the key decides the algorithm`() throws {
        let rsa = try RSASigningKey(pem: SamplePEM.rfc7515RSA)
        let confused = try token(header: #"{"alg":"RS256"}"#)

        #expect(throws: JWTFailure.wrongAlgorithm(expected: .rs256)) {
            try UnverifiedJWT(signer.sign(claims)).verify(with: rsa.publicKey)
        }
        #expect(throws: JWTFailure.wrongAlgorithm(expected: .es256)) {
            try UnverifiedJWT(confused).verify(with: key.publicKey)
        }
        #expect(throws: JWTFailure.invalidSignature) { try UnverifiedJWT(confused).verify(with: rsa.publicKey) }
    }

    @Test func `Rival's key does not verify Acme's token`() throws {
        let token = try UnverifiedJWT(signer.sign(claims))

        #expect(throws: JWTFailure.invalidSignature) { try token.verify(with: P256SigningKey.generate().publicKey) }
    }

    @Test func `a token with a signature in DER or none is refused`() throws {
        let token = try signer.sign(claims)
        let signedPart = try #require(token.lastIndex(of: ".").map { token[..<$0] })

        #expect(throws: JWTFailure.malformed) { try UnverifiedJWT(String(signedPart)) }
        #expect(throws: JWTFailure.malformed) { try UnverifiedJWT(signedPart + ".") }
        #expect(throws: JWTFailure.invalidSignature) {
            try UnverifiedJWT(signedPart + ".MEUCIQDabcde").verify(with: key.publicKey)
        }
    }

    @Test func `a token is read up to its limit and no further`() throws {
        let token = try signer.sign(claims)

        #expect(throws: JWTFailure.tooLarge) { try UnverifiedJWT(token, maximumCount: token.utf8.count - 1) }
        #expect(throws: Never.self) { try UnverifiedJWT(token, maximumCount: token.utf8.count) }
        #expect(throws: JWTFailure.tooLarge) {
            try UnverifiedJWT(String(repeating: "[", count: UnverifiedJWT.maximumCount + 1))
        }
    }

    @Test func `meets garbage without a trap`() throws {
        var garbage = Garbage(seed: 2)
        let sample = try signer.sign(claims)
        let header = Array(#"{"alg":"ES256","kid":"ACME","typ":"JWT"}"#.utf8)
        let claims = Array(#"{"aud":["a","é\u00e9\ud83d\ude00"],"exp":-1.5e3,"a":{"b":[null,true]}}"#.utf8)

        for _ in 0..<1000 {
            let text = garbage.text(like: sample)
            let damaged = try? UnverifiedJWT(text).verify(with: key.publicKey)
            #expect(damaged == nil || text == sample)

            let inside = [garbage.bytes(like: header), garbage.bytes(like: claims), [1]]
            let token = try? UnverifiedJWT(inside.map { Base64URL.encode($0) }.joined(separator: "."))
            #expect(throws: JWTFailure.self) {
                try token?.verify(with: key.publicKey) ?? { throw JWTFailure.malformed }()
            }
        }
    }
}
