import HTTP
public import Platform

/// Accent colour of a team with the shades that keep text legible on light and dark backgrounds.
public struct Accent: Hashable, Sendable {
    /// Values of the style sheet's custom properties `--accent`, `--accent-strong`, `--accent-soft`, `--on-accent`.
    public struct Palette: Hashable, Sendable {
        public let accent: AccentColour
        public let strong: AccentColour
        public let soft: AccentColour
        public let onAccent: AccentColour
    }

    /// The colour that the team chose.
    public let colour: AccentColour

    public init(_ colour: AccentColour) { self.colour = colour }

    /// Palette of the light theme: darkened as little as text contrast requires.
    public var light: Palette {
        let soft = colour.mixed(with: .white, share: 0.88)
        let accent = colour.legible(on: [Self.lightGround, soft], toward: .black)
        return Palette(accent: accent, strong: accent.mixed(with: .black, share: 0.2), soft: soft, onAccent: .white)
    }

    /// Palette of the dark theme: lightened as little as text contrast requires.
    public var dark: Palette {
        let soft = colour.mixed(with: Self.darkGround, share: 0.8)
        let accent = colour.legible(on: [Self.darkGround, soft], toward: .white)
        return Palette(accent: accent, strong: accent.mixed(with: .white, share: 0.25), soft: soft, onAccent: .black)
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
        "--accent: \(palette.accent); --accent-strong: \(palette.strong); "
            + "--accent-soft: \(palette.soft); --on-accent: \(palette.onAccent);"
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
