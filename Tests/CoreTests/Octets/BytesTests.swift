import Core
import Testing

@Suite struct `Encodings of RFC 4648` {
    @Test(arguments: ["", "66", "666f6f626172", "00ff10"]) func `hexadecimal comes back as it went`(text: String) {
        #expect(Hex.decode(text).map { Hex.encode($0) } == text)
    }

    @Test(arguments: ["6", "0g", "é", "0x", " 00"]) func `what is not hexadecimal is refused`(text: String) {
        #expect(Hex.decode(text) == nil)
    }

    @Test(arguments: [
        ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
        ("foobar", "Zm9vYmFy"), ("\u{3FF}\u{FFF}", "z7_gv78"),
    ]) func `base64url has no padding and one spelling`(plain: String, coded: String) {
        #expect(Base64URL.encode(Array(plain.utf8)) == coded)
        #expect(Base64URL.decode(coded) == Array(plain.utf8))
    }

    @Test(arguments: ["Zg==", "Zh", "Zm9+", "Zm9/", "Z", "Zm 9v", "Zm9v\n"])
    func `a second spelling of base64url is refused`(text: String) { #expect(Base64URL.decode(text) == nil) }

    @Test func `base64 of PEM bodies may be broken into lines`() {
        #expect(Base64.decode("Zm9v\r\nYg==\n".utf8) == Array("foob".utf8))
        #expect(Base64.encode(Array("foob".utf8)) == "Zm9vYg==")
        #expect(Base64.decode("Zm9vYg=".utf8) == nil)
        #expect(Base64.decode("====".utf8) == nil)
    }
}

@Suite struct `Form coding` {
    @Test func `repeated names and both spellings of a space are kept`() throws {
        let fields = try FormCoding.decode(Array("scope=name+email&scope=name%20email&&x".utf8))

        #expect(fields == [.init("scope", "name email"), .init("scope", "name email"), .init("x", "")])
    }

    @Test func `a value comes back as it went`() throws {
        let field = FormCoding.Field("a&b=c", "ä %+☃\n")

        #expect(try FormCoding.decode(Array(FormCoding.encode([field]).utf8)) == [field])
    }

    @Test func `garbage is refused with its reason`() {
        #expect(throws: FormCoding.Failure.malformedEscape) { try FormCoding.decode(Array("a=%4".utf8)) }
        #expect(throws: FormCoding.Failure.notUTF8) { try FormCoding.decode(Array("a=%ff".utf8)) }
        #expect(throws: FormCoding.Failure.tooManyFields(limit: 2)) {
            try FormCoding.decode(Array("a&b&c".utf8), maximumFields: 2)
        }
    }
}

@Suite struct `JSON texts` {
    @Test func `twenty thousand brackets are refused before parsing`() {
        let brackets = [UInt8](repeating: UInt8(ascii: "["), count: 20_000)

        #expect(throws: JSON.Failure.tooDeep(limit: 32)) { try JSON.decode(JSONValue.self, from: brackets) }
    }

    @Test func `brackets inside strings do not nest`() throws {
        let text = #"{"a":"[[[[\"[[[["}"#

        #expect(try JSON.decode(JSONValue.self, from: Array(text.utf8), maxDepth: 1)["a"]?.string == "[[[[\"[[[[")
    }

    @Test func `a mismatch names the member`() {
        struct Team: Decodable { let name: String }

        #expect(throws: JSON.Failure.mismatch(path: "name", expected: "String")) {
            try JSON.decode(Team.self, from: Array(#"{"name":1}"#.utf8))
        }
    }

    @Test func `the writer escapes what JSON and HTML forbid`() throws {
        var writer = JSONWriter()
        writer.member("text", "a\"\\\u{1}</script>&\u{2028}")
        writer.member("count", -12)
        writer.member("list", ["x", "y"])
        let bytes = writer.finish()

        let value = try JSON.decode(JSONValue.self, from: bytes)
        #expect(value["text"]?.string == "a\"\\\u{1}</script>&\u{2028}")
        #expect(value["count"]?.integer == -12)
        #expect(value["list"] == ["x", "y"])
        #expect(!bytes.contains(UInt8(ascii: "<")))
    }
}

@Suite struct `Timestamps` {
    @Test(arguments: [
        (0, "1970-01-01T00:00:00Z"), (951_782_400, "2000-02-29T00:00:00Z"), (-1, "1969-12-31T23:59:59Z"),
        (4_102_444_799, "2099-12-31T23:59:59Z"), (1_795_174_140, "2026-11-20T11:29:00Z"),
    ]) func `a moment is written in RFC 3339`(seconds: Int, text: String) {
        #expect(Timestamp(seconds: seconds).description == text)
    }

    @Test func `microseconds are kept`() {
        let moment = Timestamp(seconds: 1) + .microseconds(42)

        #expect(moment.precise == "1970-01-01T00:00:01.000042Z")
        #expect(Timestamp(microseconds: -1).seconds == -1)
    }
}

@Suite struct `Base 32` {
    /// RFC 4648 section 10.
    @Test(arguments: [
        ("", ""), ("f", "MY"), ("fo", "MZXQ"), ("foo", "MZXW6"), ("foob", "MZXW6YQ"), ("fooba", "MZXW6YTB"),
        ("foobar", "MZXW6YTBOI"),
    ]) func `spells the examples of RFC 4648`(text: String, coded: String) {
        #expect(Base32.encode(Array(text.utf8)) == coded)
        #expect(Base32.decode(coded) == Array(text.utf8))
        #expect(Base32.decode(coded.lowercased()) == Array(text.utf8))
        #expect(
            Base32.decode(coded + String(repeating: "=", count: (8 - coded.utf8.count % 8) % 8)) == Array(text.utf8))
    }

    @Test(arguments: ["M", "MZX", "MZXW6Y", "MZ", "M1", "MÄ", "MY=A", "MY======="]) func `refuses what nothing spells`(
        text: String
    ) { #expect(Base32.decode(text) == nil) }
}
