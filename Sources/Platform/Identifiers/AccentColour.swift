import Glibc
public import Postgres

/// Accent colour of a team's hosted pages in sRGB, with the contrast that text on it or in it has.
///
/// Contrast follows WCAG 2.2: text needs 4.5 to 1 (success criterion 1.4.3), the shape of a control 3 to 1 (1.4.11).
public struct AccentColour: SQLText, Hashable, Sendable, CustomStringConvertible {
    /// Minimum contrast ratio of text against its background (WCAG 2.2, success criterion 1.4.3).
    public static let textContrast = 4.5

    public static let white = AccentColour(red: 255, green: 255, blue: 255)
    public static let black = AccentColour(red: 0, green: 0, blue: 0)

    public let red: UInt8
    public let green: UInt8
    public let blue: UInt8

    public init(red: UInt8, green: UInt8, blue: UInt8) { (self.red, self.green, self.blue) = (red, green, blue) }

    /// Parses `#rrggbb` in either case; nil for any other text.
    public init?(rawValue: String) {
        guard rawValue.utf8.count == 7, rawValue.utf8.first == UInt8(ascii: "#"),
            rawValue.utf8.dropFirst().allSatisfy(Self.isHexDigit), let value = UInt32(rawValue.dropFirst(), radix: 16)
        else { return nil }
        self.init(
            red: UInt8(truncatingIfNeeded: value >> 16), green: UInt8(truncatingIfNeeded: value >> 8),
            blue: UInt8(truncatingIfNeeded: value))
    }

    /// The colour as `#rrggbb` in lower case.
    public var rawValue: String {
        "#" + [red, green, blue].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    public var description: String { rawValue }

    /// Contrast ratio with another colour, from 1 to 21, in either order (WCAG 2.2, "contrast ratio").
    public func contrast(with other: AccentColour) -> Double {
        let (lighter, darker) = (max(luminance, other.luminance), min(luminance, other.luminance))
        return (lighter + 0.05) / (darker + 0.05)
    }

    /// This colour mixed with the smallest share of `end` that gives text contrast on every background.
    ///
    /// The share rises in steps of 2 %. If no share is enough, returns `end`.
    public func legible(on grounds: [AccentColour], toward end: AccentColour) -> AccentColour {
        for step in 0...50 {
            let candidate = mixed(with: end, share: Double(step) / 50)
            if grounds.allSatisfy({ candidate.contrast(with: $0) >= Self.textContrast }) { return candidate }
        }
        return end
    }

    /// Relative luminance (WCAG 2.2, "relative luminance").
    private var luminance: Double {
        0.2126 * Self.linear(red) + 0.7152 * Self.linear(green) + 0.0722 * Self.linear(blue)
    }

    private static func linear(_ channel: UInt8) -> Double {
        let value = Double(channel) / 255
        return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }

    /// This colour mixed with a share, from 0 to 1, of another.
    public func mixed(with other: AccentColour, share: Double) -> AccentColour {
        func mix(_ one: UInt8, _ two: UInt8) -> UInt8 {
            UInt8(clamping: Int((Double(one) * (1 - share) + Double(two) * share).rounded()))
        }
        return AccentColour(red: mix(red, other.red), green: mix(green, other.green), blue: mix(blue, other.blue))
    }

    private static func isHexDigit(_ character: UInt8) -> Bool {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }
}
