import Core
import Crypto
import Testing

@Suite struct `Reading claims` {
    private let key = P256SigningKey.generate()

    /// The claims of a signed token with this content.
    private func claims(_ json: String) throws -> Claims {
        let token = try JWTSigner(key: key, keyID: "ACMEKEY001").sign(Array(json.utf8))
        return try UnverifiedJWT(token).verify(with: key.publicKey)
    }

    @Test(
        arguments: ["count", "iat"],
        [
            ("{}", Claims.Failure.missing("?")), (#"{"?":null}"#, .wrongType("?")),
            (#"{"?":"1800000000"}"#, .wrongType("?")), (#"{"?":""}"#, .wrongType("?")),
            (#"{"?":true}"#, .wrongType("?")), (#"{"?":1800000000.0}"#, .wrongType("?")),
            (#"{"?":1800000000.5}"#, .wrongType("?")), (#"{"?":18e8}"#, .wrongType("?")),
            (#"{"?":9223372036854775808}"#, .wrongType("?")), (#"{"?":-9223372036854775809}"#, .wrongType("?")),
            (#"{"?":[1800000000]}"#, .wrongType("?")), (#"{"?":{"value":1800000000}}"#, .wrongType("?")),
        ]) func `a whole number is one or the token fails`(name: String, test: (String, Claims.Failure)) throws
    {
        let claims = try claims(test.0.replacing("?", with: name))
        let expected: Claims.Failure = if case .missing = test.1 { .missing(name) } else { .wrongType(name) }

        #expect(throws: expected) { try claims.integer(name) }
    }

    @Test(arguments: [
        ("1800000000", 1_800_000_000), ("1800000000.0", 1_800_000_000), ("1800000000.999999", 1_800_000_000),
        ("1.8e9", 1_800_000_000), ("18E8", 1_800_000_000), ("0.5", 0), ("-0.0", 0), ("253402300799.9", 253_402_300_799),
    ]) func `a time may have a fraction, which counts for nothing`(text: String, seconds: Int) throws {
        #expect(try claims("{\"exp\":\(text)}").date("exp").seconds == seconds)
    }

    @Test(arguments: [
        ("{}", Claims.Failure.missing("exp")), (#"{"exp":null}"#, .wrongType("exp")),
        (#"{"exp":"1800000000"}"#, .wrongType("exp")), (#"{"exp":[1800000000]}"#, .wrongType("exp")),
        (#"{"exp":true}"#, .wrongType("exp")), (#"{"exp":-1}"#, .outOfRange("exp")),
        (#"{"exp":-0.5}"#, .outOfRange("exp")), (#"{"exp":1800000000000}"#, .outOfRange("exp")),
        (#"{"exp":253402300800.0}"#, .outOfRange("exp")), (#"{"exp":9223372036854775808}"#, .outOfRange("exp")),
        (#"{"exp":1e300}"#, .outOfRange("exp")), (#"{"exp":-1e300}"#, .outOfRange("exp")),
    ]) func `a time is a number of the calendar or the token fails`(json: String, failure: Claims.Failure) throws {
        let claims = try claims(json)

        #expect(throws: failure) { try claims.date("exp") }
    }

    @Test(
        arguments: ["iss", "sub", "jti"],
        [(#"{"?":null}"#), (#"{"?":1}"#), (#"{"?":false}"#), (#"{"?":["a"]}"#), (#"{"?":{}}"#)])
    func `a text is a text or the token fails`(name: String, json: String) throws {
        let claims = try claims(json.replacing("?", with: name))

        #expect(throws: Claims.Failure.wrongType(name)) { try claims.string(name) }
        #expect(throws: Claims.Failure.missing("other")) { try claims.string("other") }
    }

    @Test func `what is well-formed is read`() throws {
        let claims = try claims(
            #"""
            { "iss" : "ACME000001" ,"text":"\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00é", "exp":9223372036854775807,
              "min":-9223372036854775808,"zero":0,"yes":true,"no":"false",
              "nested":{"a":[1,2.5,null]},"empty":[] }
            """#)

        #expect(try claims.string("iss") == "ACME000001")
        #expect(try claims.string("text") == "\"\\/\u{8}\u{c}\n\r\té😀é")
        #expect(try claims.integer("exp") == Int64.max)
        #expect(try claims.integer("min") == Int64.min)
        #expect(try claims.integer("zero") == 0)
        #expect(try claims.boolean("yes") && !claims.boolean("no"))
        #expect(claims.members["nested"] == ["a": .array([1, .number(2.5), .null])])
        #expect(claims.members["empty"] == [])
    }

    @Test(arguments: [
        (#"{"aud":"https://id.acme.example"}"#, ["https://id.acme.example"]),
        (#"{"aud":["com.acme.app","com.acme.web"]}"#, ["com.acme.app", "com.acme.web"]),
    ]) func `an audience is one text or several`(json: String, audience: [String]) throws {
        #expect(try claims(json).audience() == audience)
    }

    @Test(arguments: [
        #"{"aud":null}"#, #"{"aud":1}"#, #"{"aud":[]}"#, #"{"aud":["a",1]}"#, #"{"aud":[["a"]]}"#,
        #"{"aud":{"a":"b"}}"#,
    ]) func `an audience of another type fails, and so does none`(json: String) throws {
        let (claims, empty) = (try claims(json), try claims("{}"))
        #expect(throws: Claims.Failure.wrongType("aud")) { try claims.audience() }
        #expect(throws: Claims.Failure.missing("aud")) { try empty.audience() }
    }

    @Test(arguments: [#"{"is":1}"#, #"{"is":"TRUE"}"#, #"{"is":null}"#, #"{"is":""}"#]) func `a yes or no is one`(
        json: String
    ) throws {
        let claims = try claims(json)

        #expect(throws: Claims.Failure.wrongType("is")) { try claims.boolean("is") }
    }
}
