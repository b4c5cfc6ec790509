// TestNumbers: what numbers from outside may look like at worst.
//
// Owns: one table of spellings and what they stand for.
// Must not know: who reads them.

/// A spelling of a number, or of what only looks like one, and the whole number that it is in JSON.
public struct BoundaryNumber: Sendable, CustomStringConvertible {
    public let text: String
    /// Nil for what is no whole number of 64 bits, or is not written as one.
    public let integer: Int64?
    /// The number without its fraction, as a time of a token is read; nil for what is no number of 64 bits.
    public let floor: Int64?

    private init(_ text: String, _ integer: Int64? = nil, floor: Int64? = nil) {
        self.text = text
        self.integer = integer
        self.floor = floor ?? integer
    }

    public var description: String { text.utf8.count > 40 ? "\(text.prefix(20))… (\(text.utf8.count) octets)" : text }

    /// As JSON has them: the first are numbers, the rest are refused by its grammar or are of another type.
    public static let json: [BoundaryNumber] =
        whole + [
            BoundaryNumber("0.0", floor: 0), BoundaryNumber("-0.0", floor: 0), BoundaryNumber("1.0", floor: 1),
            BoundaryNumber("0.5", floor: 0), BoundaryNumber("-0.5", floor: -1), BoundaryNumber("1e3", floor: 1000),
            BoundaryNumber("1e308"), BoundaryNumber("-1e308"), BoundaryNumber("1e309"),
            BoundaryNumber("1e-400", floor: 0), BoundaryNumber("1E+2", floor: 100),
            BoundaryNumber("9223372036854775807.0"), BoundaryNumber("9007199254740993.0", floor: 9_007_199_254_740_992),
            BoundaryNumber("253402300799.9", floor: 253_402_300_799),
            BoundaryNumber("253402300800.0", floor: 253_402_300_800), BoundaryNumber("+1"), BoundaryNumber("01"),
            BoundaryNumber("-01"), BoundaryNumber("1."), BoundaryNumber(".5"), BoundaryNumber("0x10"),
            BoundaryNumber("1_000"), BoundaryNumber("NaN"), BoundaryNumber("Infinity"), BoundaryNumber("-Infinity"),
            BoundaryNumber("\u{FF11}"), BoundaryNumber("\u{0663}"), BoundaryNumber(""), BoundaryNumber(" "),
            BoundaryNumber("1 1"), BoundaryNumber("-"), BoundaryNumber("null"), BoundaryNumber("true"),
            BoundaryNumber("false"), BoundaryNumber("\"\""), BoundaryNumber("\"1\""),
            BoundaryNumber("\"9223372036854775808\""), BoundaryNumber("[]"), BoundaryNumber("[1]"),
            BoundaryNumber("{}"), BoundaryNumber("{\"a\":1}"), BoundaryNumber(String(repeating: "9", count: 400)),
            BoundaryNumber("1e" + String(repeating: "9", count: 30)),
            BoundaryNumber("0." + String(repeating: "0", count: 400) + "1"),
        ]

    /// Whole numbers at the ends of what somebody may hold them in.
    private static let extremes: [Int64] = [
        0, 1, -1, 127, 128, 255, 256, 32_767, 32_768, 65_535, 65_536, 2_147_483_647, 2_147_483_648, -2_147_483_648,
        -2_147_483_649, 4_294_967_295, 4_294_967_296, 9_007_199_254_740_991, 9_007_199_254_740_992,
        9_007_199_254_740_993, -9_007_199_254_740_993, 253_402_300_799, 253_402_300_800, -62_135_596_801,
        9_223_372_036_854, 9_223_372_036_855, .max - 1, .max, .min + 1, .min,
    ]

    private static let whole =
        extremes.map { BoundaryNumber("\($0)", $0) } + [
            BoundaryNumber("-0", 0), BoundaryNumber("9223372036854775808"), BoundaryNumber("-9223372036854775809"),
            BoundaryNumber("18446744073709551615"), BoundaryNumber("18446744073709551616"),
            BoundaryNumber("99999999999999999999"), BoundaryNumber("-99999999999999999999"),
        ]

    /// As they stand in forms, queries, paths and fields of a head.
    public static let texts: [String] =
        whole.map(\.text) + [
            "+1", "+0", "007", "00000000000000000001", "-00", "1.0", "0.5", "1,000", "1_000", "1e3", "1e308", "1e309",
            "-1e308", "1e-400", "0x10", "0b1", "NaN", "nan", "Infinity", "-inf", "\u{FF11}\u{FF12}", "\u{0663}",
            "\u{00B2}", "\u{00BD}", "", " ", " 1 ", "1 ", "\t1", "1;", "--1", "-", "+", ".", "true", "null", "[1]",
            "{}", String(repeating: "9", count: 400), "0." + String(repeating: "0", count: 400) + "1",
        ]

    /// Those of `texts` that most readers stumble over, for tables with many rows.
    public static let worst = [
        "-9223372036854775808", "9223372036854775807", "9223372036854775808", "99999999999999999999", "-1", "0",
        "1e308", "253402300800", "\u{FF11}\u{FF12}", "",
    ]
}
