import HTTP
public import Platform

/// Accent colour of a team with the shades that keep text legible on light and dark backgrounds.
public struct Accent: Hashable, Sendable {
    /// Values of the style sheet's custom properties, such as `--accent-strong`.
    public struct Palette: Hashable, Sendable {
        /// Colour of text and edges.
        public let accent: AccentColour
        public let strong: AccentColour
        public let soft: AccentColour
        /// Ground of buttons: the colour that the team chose, as it is.
        public let fill: AccentColour
        /// Ground of a button under the pointer.
        public let press: AccentColour
        public let onAccent: AccentColour
    }

    /// The colour that the team chose.
    public let colour: AccentColour

    public init(_ colour: AccentColour) { self.colour = colour }

    /// Palette of the light theme: text is darkened as little as its contrast requires.
    public var light: Palette {
        let soft = colour.mixed(with: .white, share: 0.88)
        let accent = colour.legible(on: [Self.lightGround, soft], toward: .black)
        return palette(accent, strong: accent.mixed(with: .black, share: 0.2), soft: soft)
    }

    /// Palette of the dark theme: text is lightened as little as its contrast requires.
    public var dark: Palette {
        let soft = colour.mixed(with: Self.darkGround, share: 0.8)
        let accent = colour.legible(on: [Self.darkGround, soft], toward: .white)
        return palette(accent, strong: accent.mixed(with: .white, share: 0.25), soft: soft)
    }

    /// Text on buttons is white or black, whichever can be read; under the pointer the ground moves away from it.
    private func palette(_ accent: AccentColour, strong: AccentColour, soft: AccentColour) -> Palette {
        let isDark = colour.contrast(with: .white) >= AccentColour.textContrast
        return Palette(
            accent: accent, strong: strong, soft: soft, fill: colour,
            press: colour.mixed(with: isDark ? .black : .white, share: 0.2), onAccent: isDark ? .white : .black)
    }

    /// Style sheet that sets the custom properties for both themes.
    public var stylesheet: String {
        """
        :root { \(Self.properties(of: light)) }
        @media (prefers-color-scheme: dark) { :root { \(Self.properties(of: dark)) } }

        """
    }

    /// `--sunken` of the style sheet in each theme, the background with the least text contrast.
    static let lightGround = AccentColour(red: 0xF3, green: 0xF1, blue: 0xEC)
    static let darkGround = AccentColour(red: 0x23, green: 0x24, blue: 0x21)

    private static func properties(of palette: Palette) -> String {
        "--accent: \(palette.accent); --accent-strong: \(palette.strong); --accent-soft: \(palette.soft); "
            + "--accent-fill: \(palette.fill); --accent-press: \(palette.press); --on-accent: \(palette.onAccent);"
    }
}

/// File name of an accent's style sheet, such as `17694a.css`; other spellings of the colour are rejected.
struct AccentFile: PathValue, LosslessStringConvertible {
    let colour: AccentColour

    init(colour: AccentColour) { self.colour = colour }

    init?(_ description: String) {
        guard description.utf8.count == 10, let colour = AccentColour(rawValue: "#\(description.prefix(6))"),
            AccentFile(colour: colour).description == description
        else { return nil }
        self.colour = colour
    }

    var description: String { "\(colour.rawValue.dropFirst()).css" }
}
