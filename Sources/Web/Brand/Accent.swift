public import Domain

/// What the pages make of a team's accent so that it can be read on light and on dark ground.
public struct Accent: Hashable, Sendable {
    /// What the style sheet calls by these names.
    public struct Palette: Hashable, Sendable {
        public let accent: AccentColour
        public let strong: AccentColour
        public let soft: AccentColour
        public let onAccent: AccentColour
    }

    /// As the team chose it.
    public let colour: AccentColour

    public init(_ colour: AccentColour) {
        self.colour = colour
    }

    /// On light ground: darkened as far as reading needs it.
    public var light: Palette {
        let soft = colour.mixed(with: .white, share: 0.88)
        let accent = colour.legible(on: [Self.lightGround, soft], toward: .black)
        return Palette(
            accent: accent,
            strong: accent.mixed(with: .black, share: 0.2),
            soft: soft,
            onAccent: .white
        )
    }

    /// On dark ground: lightened as far as reading needs it.
    public var dark: Palette {
        let soft = colour.mixed(with: Self.darkGround, share: 0.8)
        let accent = colour.legible(on: [Self.darkGround, soft], toward: .white)
        return Palette(
            accent: accent,
            strong: accent.mixed(with: .white, share: 0.25),
            soft: soft,
            onAccent: .black
        )
    }

    /// The style sheet that dresses pages in it.
    public var stylesheet: String {
        """
        :root { \(Self.properties(of: light)) }
        @media (prefers-color-scheme: dark) { :root { \(Self.properties(of: dark)) } }

        """
    }

    /// `--sunken` of the style sheet, the ground that is hardest to read on in each theme.
    static let lightGround = AccentColour(red: 0xF3, green: 0xF1, blue: 0xEC)
    static let darkGround = AccentColour(red: 0x23, green: 0x24, blue: 0x21)

    private static func properties(of palette: Palette) -> String {
        "--accent: \(palette.accent); --accent-strong: \(palette.strong); "
            + "--accent-soft: \(palette.soft); --on-accent: \(palette.onAccent);"
    }
}
