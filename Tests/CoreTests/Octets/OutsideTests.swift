import Core
import Testing

/// What text and numbers from outside have to be: security cases V39 and V52.
@Suite struct OutsideTests {
    /// Marks of two classes in turn, of which no two stand in canonical order.
    private static func marks(_ count: Int) -> String {
        String(String.UnicodeScalarView((0..<count).map { $0.isMultiple(of: 2) ? "\u{301}" : "\u{323}" }))
    }

    @Test(arguments: ["", "client_id", "text.some.key", "a b", String(repeating: "n", count: 128)])
    func `a field's name is printable ASCII`(name: String) { #expect(FieldName(name)?.text == name) }

    @Test(arguments: ["é", "e\u{301}", "a\u{0}", "a\n", "a\u{7F}", "\u{212A}", String(repeating: "n", count: 129)])
    func `S31, V52: anything else is no name of a field, in a form or in JSON`(name: String) {
        #expect(FieldName(name) == nil)
        #expect(throws: FormCoding.Failure.malformedName) {
            try FormCoding.decode(Array("\(PercentCoding.encode(name))=x".utf8))
        }
        #expect(throws: JSON.Failure.malformed) { try JSON.object(JSON.encode([name: 1])) }
        #expect(throws: JSON.Failure.malformed) { try JSON.decode(JSONValue.self, from: JSON.encode([[name: 1]])) }
    }

    /// On a slow machine, too, it would be minutes if each comparison cost the square of a name's length.
    @Test func `S31, V52: 65 kB of names made of marks out of order are refused at the first`() {
        let name = PercentCoding.encode(Self.marks(5000))
        let form = "a=1&\(name)=1&\(name)=2"
        #expect(throws: FormCoding.Failure.malformedName) { try FormCoding.decode(Array(form.utf8)) }
    }

    @Test func `S31, V52: text of more than thirty marks in a row is refused wherever text is decoded`() {
        for text in ["\(Self.marks(31))", "a\(Self.marks(31))b", String(repeating: "\u{F73}", count: 31)] {
            #expect(!text.isStreamSafe && String(utf8: Array(text.utf8)) == nil)
            #expect(throws: FormCoding.Failure.notStreamSafe) {
                try FormCoding.decode(Array("a=\(PercentCoding.encode(text))".utf8))
            }
            #expect(throws: JSON.Failure.malformed) { try JSON.object(JSON.encode(["a": text])) }
        }
        for text in ["a\(Self.marks(30))b\(Self.marks(30))", "é", "नमस्ते", "👨‍👩‍👧‍👦🇩🇪🇷🇺", "שָׁלוֹם"] {
            #expect(text.isStreamSafe && String(utf8: Array(text.utf8)) == text)
        }
    }

    @Test(arguments: [Int64.min, -253_402_300_800, -1, 253_402_300_800, .max - 1, .max])
    func `S1, S3, V39: no number beyond the years 1970 to 9999 is a date`(seconds: Int64) {
        #expect(NumericDate(seconds: seconds) == nil)
        if seconds < 0 { #expect(NumericDate(milliseconds: seconds) == nil) }
    }

    @Test func `a date holds the years 1970 to 9999`() {
        #expect(NumericDate(seconds: 0)?.timestamp.description == "1970-01-01T00:00:00Z")
        #expect(NumericDate(seconds: 253_402_300_799)?.timestamp.description == "9999-12-31T23:59:59Z")
        #expect(NumericDate(milliseconds: 1_795_174_140_999)?.seconds == 1_795_174_140)
        #expect(NumericDate(milliseconds: .max) == nil)
    }

    @Test func `V39: arithmetic on moments stops at the first and the last there is`() {
        let (first, last) = (Timestamp(microseconds: .min), Timestamp(microseconds: .max))
        #expect(Timestamp(seconds: .max) == last && Timestamp(seconds: .min) == first)
        #expect(last + .seconds(1) == last && first - .seconds(1) == first)
        #expect(first + .seconds(-1) == first && last - .seconds(-1) == last)
        #expect(last - first == .microseconds(Int64.max) && first - last == .microseconds(Int64.min))
        #expect(Timestamp(seconds: 0) + .seconds(Int64.max) == last)
        for moment in [first, last] {
            // Nothing of these traps.
            #expect(!moment.description.isEmpty && !moment.precise.isEmpty && moment.civil.month > 0)
        }
        #expect(first.seconds < 0 && last.seconds > 0)
    }

    @Test func `S43, V52: a cut is one of octets, between two code points`() {
        let family = "👨‍👩‍👧‍👦"
        #expect(String(repeating: family, count: 400).cut(toOctets: 400).utf8.count <= 400)
        #expect("aé".cut(toOctets: 2) == "a" && "aé".cut(toOctets: 3) == "aé" && "é".cut(toOctets: 1).isEmpty)
        #expect("abc".cut(toOctets: 0).isEmpty && "abc".cut(toOctets: 9) == "abc")
        #expect(String("e" + Self.marks(9000)).cut(toOctets: 5).unicodeScalars.count == 3)
    }

    @Test func `V52: octets are compared and put in lower case without regard to marks`() {
        #expect(!"\u{212A}".isExactly("K") && "K".isExactly("K"))
        #expect("ABC-é\u{212A}".lowercasedASCII.isExactly("abc-é\u{212A}"))
    }

    @Test func `V42, V52: lines are read once, and no further than one too many`() {
        #expect(" a \r\n\r\nb\r c\n\n".trimmedLines(limit: 9) == ["a", "b", "c"])
        #expect(String(repeating: "x\n", count: 30_000).trimmedLines(limit: 10).count == 11)
        #expect("".trimmedLines(limit: 3).isEmpty && "\u{2003}a\u{A0}".trimmedWhiteSpace == "a")
    }
}

/// Security case V39, finding S4: one strict reader of JSON.
@Suite struct `JSON from outside` {
    private static let text = #"{"payload":"x"}"#

    @Test func `S4: JSON in UTF-16 or UTF-32, or behind a byte order mark, is refused`() {
        let units = Array(Self.text.utf16)
        let wide: [UInt8] = units.flatMap { unit -> [UInt8] in [UInt8(truncatingIfNeeded: unit), UInt8(unit >> 8)] }
        let big: [UInt8] = units.flatMap { unit -> [UInt8] in [UInt8(unit >> 8), UInt8(truncatingIfNeeded: unit)] }
        let wider: [UInt8] = units.flatMap { unit -> [UInt8] in [UInt8(truncatingIfNeeded: unit), 0, 0, 0] }
        for bytes in [
            wide, [0xFF, 0xFE] + wide, big, [0xFE, 0xFF] + big, wider, [0xFF, 0xFE, 0, 0] + wider,
            [0xEF, 0xBB, 0xBF] + Array(Self.text.utf8),
        ] {
            #expect(throws: JSON.Failure.malformed) { try JSON.decode(JSONValue.self, from: bytes) }
            #expect(throws: JSON.Failure.malformed) { try JSON.decode([String: String].self, from: bytes) }
            #expect(throws: JSON.Failure.malformed) { try JSON.object(bytes) }
        }
        #expect(throws: Never.self) { try JSON.object(Array(Self.text.utf8)) }
    }

    @Test func `S4: 16 kB of brackets in UTF-16 are refused at the first octet that is none of UTF-8's`() {
        let brackets = (0..<16_000).map { $0.isMultiple(of: 2) ? 0 : UInt8(ascii: "[") }
        #expect(throws: JSON.Failure.malformed) { try JSON.decode(JSONValue.self, from: brackets) }
    }

    @Test func `S4: a member twice, too deep, too many values, NUL and what follows are refused`() {
        func failure(_ text: String) -> JSON.Failure? {
            #expect(throws: JSON.Failure.self) { try JSON.object(Array(text.utf8), maxDepth: 2, maxValues: 4) }
        }
        #expect(failure(#"{"a":1,"a":1}"#) == .duplicateMember("a"))
        #expect(failure(#"{"a":1,"\u0061":1}"#) == .duplicateMember("a"))
        #expect(failure(#"{"a":{"b":{}}}"#) == .tooDeep(limit: 2))
        #expect(failure(#"{"a":[1,2,3]}"#) == .tooMany(limit: 4))
        for text in [#"{"a":"\u0000"}"#, #"{"a":1} x"#, "[]", "", #"{"a":"\ud800"}"#, #"{"a":01}"#] {
            #expect(failure(text) == .malformed)
        }
    }

    @Test(arguments: [
        (#"\u0000"#, "\u{FFFD}"), (#"\ud83d"#, "\u{FFFD}"), (#"\ude00"#, "\u{FFFD}"), (#"\ud83d\u0041"#, "\u{FFFD}A"),
        (#"\ud83d\n"#, "\u{FFFD}\n"), (#"\ud83d\ud83d\ude00"#, "\u{FFFD}😀"), ("a\tb\u{1}", "a\tb\u{1}"),
    ]) func `is repaired in its text where it comes once, and nowhere else`(written: String, read: String) throws {
        let object = Array("{\"a\":\"\(written)\"}".utf8)
        #expect(try JSON.object(repairing: object)["a"]?.string == read)
        #expect(throws: JSON.Failure.malformed) { try JSON.object(object) }
        #expect(throws: JSON.Failure.malformed) { try JSON.object(repairing: Array(object.dropLast())) }
    }

    @Test(arguments: [
        ("9223372036854775807", JSONValue.integer(.max)), ("-9223372036854775808", .integer(.min)),
        ("9223372036854775808", .number(9_223_372_036_854_775_808)), ("1.0", .number(1)), ("1e308", .number(1e308)),
        ("-0", .integer(0)),
    ]) func `V39: a number of JSON is read as it is written`(text: String, value: JSONValue) throws {
        #expect(try JSON.decode(JSONValue.self, from: Array(text.utf8)) == value)
    }

    @Test(arguments: [
        "1e309", "-1e400", "NaN", "Infinity", "0x10", "+1", ".5", "1.", String(repeating: "9", count: 65),
    ]) func `V39: what is no finite number is refused`(text: String) {
        #expect(throws: JSON.Failure.malformed) { try JSON.decode(JSONValue.self, from: Array(text.utf8)) }
    }
}
