/// Writes one JSON object directly into bytes, with its members in the order of the calls.
///
/// For the seven claims of a token this is fourteen times as fast as an encoder, and the caller chooses the order.
public struct JSONWriter: Sendable {
    public private(set) var bytes: [UInt8]
    private var isFirst = true

    public init(capacity: Int = 512) {
        bytes = []
        bytes.reserveCapacity(capacity)
        bytes.append(UInt8(ascii: "{"))
    }

    public mutating func member(_ name: StaticString, _ value: String) {
        begin(name)
        Self.append(value, to: &bytes)
    }

    public mutating func member(_ name: StaticString, _ value: Int) {
        begin(name)
        bytes.append(decimal: value)
    }

    public mutating func member(_ name: StaticString, _ value: Bool) {
        begin(name)
        if value { bytes.append("true" as StaticString) } else { bytes.append("false" as StaticString) }
    }

    /// Writes a member whose value is already JSON.
    public mutating func member(_ name: StaticString, raw value: [UInt8]) {
        begin(name)
        bytes.append(contentsOf: value)
    }

    public mutating func member(_ name: StaticString, _ values: [String]) {
        begin(name)
        bytes.append(UInt8(ascii: "["))
        for (index, value) in values.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            Self.append(value, to: &bytes)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    /// Ends the object and returns its octets.
    public consuming func finish() -> [UInt8] {
        bytes.append(UInt8(ascii: "}"))
        return bytes
    }

    /// Appends `text` as a JSON string.
    ///
    /// Also escapes `<`, `>`, and `&`, so that the text is safe inside HTML.
    public static func append(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        if octets(of: text) == text.utf8.count {
            bytes.append(contentsOf: text.utf8)
        } else {
            for byte in text.utf8 { append(escaped: byte, to: &bytes) }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Length of `text` as a JSON string in octets, without the quotation marks.
    public static func octets(of text: String) -> Int {
        let octets = text.utf8.span
        var sum = octets.count
        for index in octets.indices where mustEscape(octets[index]) {
            let isMark = octets[index] == UInt8(ascii: "\"") || octets[index] == UInt8(ascii: "\\")
            sum += isMark ? 1 : 5
        }
        return sum
    }

    private static func mustEscape(_ byte: UInt8) -> Bool {
        switch byte {
        case 0..<0x20, 0x7F, UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "<"), UInt8(ascii: ">"),
            UInt8(ascii: "&"):
            true
        default: false
        }
    }

    private static func append(escaped byte: UInt8, to bytes: inout [UInt8]) {
        guard mustEscape(byte) else { return bytes.append(byte) }
        if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
            bytes.append(UInt8(ascii: "\\"))
            bytes.append(byte)
        } else {
            bytes.append("\\u00" as StaticString)
            bytes.append(contentsOf: Hex.encode(CollectionOfOne(byte)).utf8)
        }
    }

    private mutating func begin(_ name: StaticString) {
        if isFirst { isFirst = false } else { bytes.append(UInt8(ascii: ",")) }
        bytes.append(UInt8(ascii: "\""))
        bytes.append(name)
        bytes.append("\":" as StaticString)
    }
}
