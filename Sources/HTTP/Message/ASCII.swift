/// Tests and comparisons of ASCII characters, independent of language.
enum ASCII {
    static func lowercase(_ byte: UInt8) -> UInt8 { byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte }

    static func equalIgnoringCase(_ left: some Collection<UInt8>, _ right: some Collection<UInt8>) -> Bool {
        left.count == right.count && left.elementsEqual(right) { lowercase($0) == lowercase($1) }
    }

    /// `text` without the spaces and tabs around it (OWS of RFC 9110 section 5.6.3).
    static func trim<Text: BidirectionalCollection<UInt8>>(_ text: Text) -> Text.SubSequence {
        var rest = text[...]
        while let first = rest.first, isBlank(first) { rest.removeFirst() }
        while let last = rest.last, isBlank(last) { rest.removeLast() }
        return rest
    }

    /// The text in lower case; nil when it is not all ASCII.
    static func word(_ text: Substring.UTF8View) -> String? {
        guard text.allSatisfy({ $0 < 0x80 }) else { return nil }
        return String(decoding: text.map(lowercase), as: UTF8.self)
    }

    /// Whether an octet may stand in a token (RFC 9110 section 5.6.2).
    static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"),
            UInt8(ascii: "%"), UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"),
            UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "`"),
            UInt8(ascii: "|"), UInt8(ascii: "~"):
            true
        default: false
        }
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
}
