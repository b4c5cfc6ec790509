/// A strict reader of JSON texts (RFC 8259), which rejects input that a general parser accepts.
///
/// Rejected are: a byte order mark, encodings other than UTF-8 (section 8.1), duplicate members (RFC 7515 section 4,
/// RFC 7519 section 4), member names that are not a `FieldName`, more nesting or values than the limits allow, NUL in
/// text, invalid UTF-8, lone surrogates, text that is not stream-safe, and data after the value. A number is an integer
/// only if it is written without decimal point and exponent.
struct JSONReader {
    /// Maximum length of a number in octets, more digits than a `Double` can distinguish.
    private static let longestNumber = 64

    private let bytes: [UInt8]
    private let limits: JSON.Limits
    /// Where the reader stopped.
    private(set) var index = 0
    private var count = 0
    /// Of a text that a person wrote: it is read to the end although it has members twice.
    var notes: JSONNotes?

    init(_ bytes: [UInt8], _ limits: JSON.Limits) { (self.bytes, self.limits) = (bytes, limits) }

    /// Parses `bytes`, which must contain exactly one JSON value.
    static func value(_ bytes: [UInt8], _ limits: JSON.Limits) throws(JSON.Failure) -> JSONValue {
        var reader = JSONReader(bytes, limits)
        return try reader.whole()
    }

    mutating func whole() throws(JSON.Failure) -> JSONValue {
        let value = try value(depth: 0)
        skipSpace()
        guard index == bytes.count else { throw .malformed }
        return value
    }

    private mutating func members(depth: Int) throws(JSON.Failure) -> [String: JSONValue] {
        guard depth <= limits.depth else { throw .tooDeep(limit: limits.depth) }
        var members: [String: JSONValue] = [:]
        guard !takes("}") else { return members }
        repeat {
            try expect("\"")
            let start = index - 1
            guard let name = FieldName(try string()) else {
                index = start
                throw .malformed
            }
            try expect(":")
            let path = notes?.enter(name.text, at: start)
            if members.updateValue(try value(depth: depth), forKey: name.text) != nil {
                guard notes?.noteDuplicate() != nil else {
                    index = start
                    throw .duplicateMember(name.text)
                }
            }
            notes?.leave(to: path)
        } while takes(",")
        try expect("}")
        return members
    }

    private mutating func elements(depth: Int) throws(JSON.Failure) -> [JSONValue] {
        guard depth <= limits.depth else { throw .tooDeep(limit: limits.depth) }
        var elements: [JSONValue] = []
        guard !takes("]") else { return elements }
        repeat {
            skipSpace()
            let path = notes?.enter(elements.count, at: index)
            elements.append(try value(depth: depth))
            notes?.leave(to: path)
        } while takes(",")
        try expect("]")
        return elements
    }

    private mutating func value(depth: Int) throws(JSON.Failure) -> JSONValue {
        skipSpace()
        count += 1
        guard count <= limits.values else { throw .tooMany(limit: limits.values) }
        guard let first = peek else { throw .malformed }
        switch first {
        case UInt8(ascii: "\""):
            index += 1
            return .string(try string())
        case UInt8(ascii: "{"):
            index += 1
            return .object(try members(depth: depth + 1))
        case UInt8(ascii: "["):
            index += 1
            return .array(try elements(depth: depth + 1))
        case UInt8(ascii: "t"): return try word("true", .boolean(true))
        case UInt8(ascii: "f"): return try word("false", .boolean(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try number()
        }
    }

    private mutating func number() throws(JSON.Failure) -> JSONValue {
        let start = index
        skip("-")
        let hasLeadingZero = peek == UInt8(ascii: "0")
        let digits = skipDigits()
        guard digits == 1 || digits > 1 && !hasLeadingZero else { throw .malformed }
        var isInteger = true
        if skip(".") {
            guard skipDigits() > 0 else { throw .malformed }
            isInteger = false
        }
        if skip("e") || skip("E") {
            if !skip("+") { skip("-") }
            guard skipDigits() > 0 else { throw .malformed }
            isInteger = false
        }
        guard index - start <= Self.longestNumber else { throw .malformed }
        let text = String(decoding: bytes[start..<index], as: UTF8.self)
        if isInteger, let integer = Int64(text) { return .integer(integer) }
        guard let number = Double(text), number.isFinite else { throw .malformed }
        return .number(number)
    }

    /// Reads a string through its closing quote, after the opening quote was consumed.
    private mutating func string() throws(JSON.Failure) -> String {
        let start = index
        while let byte = peek, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 { index += 1 }
        let plain = bytes[start..<index]
        guard peek == UInt8(ascii: "\"") else { return try escapedString(after: plain) }
        index += 1
        return try Self.text(plain)
    }

    private mutating func escapedString(after plain: ArraySlice<UInt8>) throws(JSON.Failure) -> String {
        var text = Array(plain)
        while !skip("\"") {
            guard let byte = peek, byte >= 0x20 || limits.repairsText else { throw .malformed }
            index += 1
            if byte == UInt8(ascii: "\\") { try escape(into: &text) } else { text.append(byte) }
        }
        return try Self.text(text[...])
    }

    private static func text(_ bytes: ArraySlice<UInt8>) throws(JSON.Failure) -> String {
        guard let text = String(utf8: bytes) else { throw .malformed }
        return text
    }

    private mutating func escape(into text: inout [UInt8]) throws(JSON.Failure) {
        guard let byte = peek else { throw .malformed }
        index += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"): text.append(contentsOf: String(try scalar()).utf8)
        default: throw .malformed
        }
    }

    /// Reads the scalar of a `\u` escape, from one or two code units; rejects NUL, which PostgreSQL cannot store.
    private mutating func scalar() throws(JSON.Failure) -> Unicode.Scalar {
        let first = try codeUnit()
        var code = first
        if (0xD800..<0xDC00).contains(first), let second = try lowSurrogate() {
            code = 0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)
        }
        if code > 0, let scalar = Unicode.Scalar(code) { return scalar }
        guard limits.repairsText else { throw .malformed }
        return "\u{FFFD}"
    }

    /// Reads the second half of a surrogate pair; nil, with nothing read, if something else follows.
    private mutating func lowSurrogate() throws(JSON.Failure) -> UInt32? {
        let start = index
        if skip("\\"), skip("u") {
            let unit = try codeUnit()
            if (0xDC00..<0xE000).contains(unit) { return unit }
        }
        index = start
        return nil
    }

    private mutating func codeUnit() throws(JSON.Failure) -> UInt32 {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = peek, let digit = Hex.value(of: byte) else { throw .malformed }
            unit = unit << 4 | UInt32(digit)
            index += 1
        }
        return unit
    }

    private var peek: UInt8? { index < bytes.count ? bytes[index] : nil }

    /// Consumes `character` if it is next.
    @discardableResult private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard peek == UInt8(ascii: character) else { return false }
        index += 1
        return true
    }

    private mutating func skipDigits() -> Int {
        let start = index
        while peek?.isASCIIDigit == true { index += 1 }
        return index - start
    }

    private mutating func skipSpace() {
        while let byte = peek, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { index += 1 }
    }

    /// Skips whitespace, then consumes `character` if it is next.
    private mutating func takes(_ character: Unicode.Scalar) -> Bool {
        skipSpace()
        return skip(character)
    }

    private mutating func word(_ word: StaticString, _ value: JSONValue) throws(JSON.Failure) -> JSONValue {
        let text = word.description.utf8
        guard bytes[index...].starts(with: text) else { throw .malformed }
        index += text.count
        return value
    }

    private mutating func expect(_ character: Unicode.Scalar) throws(JSON.Failure) {
        guard takes(character) else { throw .malformed }
    }
}
