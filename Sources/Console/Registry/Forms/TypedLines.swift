import Registry

/// A field that holds one thing a line, split once.
struct TypedLines: Sendable {
    /// What was typed, as the page shows it again.
    let text: String
    /// The lines with something in them, without white space around it; of too many the first beyond the limit is
    /// the last.
    let all: [String]

    init(_ text: String, atMost limit: Limit) {
        self.text = text
        var lines: [String] = []
        var rest = text.unicodeScalars[...]
        while lines.count <= limit.count, !rest.isEmpty {
            let line = rest.prefix { !Self.endsLine($0) }
            rest = rest[line.endIndex...].dropFirst()
            let trimmed = String(line).trimmed
            if !trimmed.isEmpty { lines.append(trimmed) }
        }
        all = lines
    }

    /// The line that `field` names, such as `domains[1]`, of the lines of `list`.
    func line(of field: String, in list: String) -> String? {
        guard let number = FormProblems.position(in: list, of: field), all.indices.contains(number) else {
            return nil
        }
        return all[number]
    }

    /// The newline characters of the Unicode Standard, section 5.8.
    private static func endsLine(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0A...0x0D, 0x85, 0x2028, 0x2029: true
        default: false
        }
    }
}
