/// Text of a field with one element per line, split into its lines.
struct TypedLines: Sendable {
    /// The text as typed, which the page shows again.
    let text: String
    /// The nonempty lines without surrounding white space.
    ///
    /// Lines after the first one beyond the limit are dropped; that one is kept so that the excess is detected.
    let all: [String]

    init(_ text: String, atMost limit: Int) {
        self.text = text
        var lines: [String] = []
        var rest = text.unicodeScalars[...]
        while lines.count <= limit, !rest.isEmpty {
            let line = rest.prefix { !Self.endsLine($0) }
            rest = rest[line.endIndex...].dropFirst()
            let trimmed = String(line).trimmed
            if !trimmed.isEmpty { lines.append(trimmed) }
        }
        all = lines
    }

    /// The newline characters of the Unicode Standard, section 5.8.
    private static func endsLine(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0A...0x0D, 0x85, 0x2028, 0x2029: true
        default: false
        }
    }
}
