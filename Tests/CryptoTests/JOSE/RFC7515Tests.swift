import Core
import Crypto
import Testing

/// The examples of RFC 7515 appendix A.2 and A.3.
@Suite struct `RFC 7515` {
    static let payload = [
        "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFt", "cGxlLmNvbS9pc19yb290Ijp0cnVlfQ",
    ].joined()

    static let rs256 = ["eyJhbGciOiJSUzI1NiJ9.", payload, ".", rs256Signature].joined()

    static let rs256Signature = [
        "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7",
        "AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4",
        "BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K",
        "0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqv",
        "hJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrB", "p0igcN_IoypGlUPQGe77Rw",
    ].joined()

    static let es256 = [
        "eyJhbGciOiJFUzI1NiJ9.", payload, ".", "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSA",
        "pmWQxfKTUJqPP3-Kg6NU1Q",
    ].joined()

    @Test func `A.2 verifies, and our RS256 signature is the same`() throws {
        let key = try RSASigningKey(pem: SamplePEM.rfc7515RSA)

        let claims = try UnverifiedJWT(Self.rs256).verify(with: key.publicKey)
        let signature = try key.sign(Array("eyJhbGciOiJSUzI1NiJ9.\(Self.payload)".utf8))

        #expect(try claims.string("iss") == "joe")
        #expect(try claims.integer("exp") == 1_300_819_380)
        #expect(try claims.boolean("http://example.com/is_root"))
        #expect(Base64URL.encode(signature) == Self.rs256Signature)
    }

    @Test func `A.3 verifies by its public half alone, and so does a signature of ours`() throws {
        let key = try P256PublicKey(pem: SamplePEM.rfc7515P256Public)
        let signer = JWTSigner(key: try P256SigningKey(pem: SamplePEM.rfc7515P256), keyID: "A3")
        for token in [Self.es256, try signer.sign(Array(#"{"iss":"joe"}"#.utf8))] {
            #expect(try UnverifiedJWT(token).verify(with: key).string("iss") == "joe")
        }
    }
}
