import Core
import Platform
import SignIn

/// Hint about an accent colour: whether the pages show it, or another one in which text stays readable.
enum AccentHint {
    static func words(about typed: String) -> Message {
        guard let colour = AccentColour(rawValue: typed.trimmed) else {
            return Message("console.settings.accentColour.hint")
        }
        let shown = Accent(colour)
        let (light, dark) = (shown.light.accent, shown.dark.accent)
        let (chosen, onLight, onDark) = (colour.rawValue, light.rawValue, dark.rawValue)
        return switch (light == colour, dark == colour) {
        case (true, true): Message("console.settings.accentColour.kept", ["colour": chosen])
        case (false, true): Message("console.settings.accentColour.light", ["colour": chosen, "light": onLight])
        case (true, false): Message("console.settings.accentColour.dark", ["colour": chosen, "dark": onDark])
        case (false, false):
            Message("console.settings.accentColour.both", ["colour": chosen, "light": onLight, "dark": onDark])
        }
    }
}
