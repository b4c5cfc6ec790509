public import Core

/// Whole numbers in the format of a language: groups of three digits with its separator (Unicode CLDR).
public enum NumberText {
    public static func text(_ number: Int, in language: Language) -> String {
        if (0..<1000).contains(number) { return String(number) }
        var out: [UInt8] = []
        write(number, in: language, into: &out)
        return String(decoding: out, as: UTF8.self)
    }

    /// Appends the number, which needs no escaping at any position.
    static func write(_ number: Int, in language: Language, into out: inout [UInt8]) {
        let digits = Array(String(number.magnitude).utf8)
        if number < 0 { out.append(UInt8(ascii: "-")) }
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) {
                out.append(contentsOf: separator(in: language).utf8)
            }
            out.append(digit)
        }
    }

    private static func separator(in language: Language) -> String {
        switch language {
        case .english, .chinese: ","
        case .german, .indonesian: "."
        case .russian: "\u{A0}"
        }
    }
}
