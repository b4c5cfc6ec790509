public import Domain
public import HTTP

/// A team's accent as a style sheet: pages have no style of their own, and the sheet follows from the colour alone,
/// so one address serves every team that chose it and browsers may keep it for ever.
public struct BrandAssets: Sendable {
    /// The number is raised when another sheet is made of the same colour.
    static let stylesheet = Route("/accents/1/:colour", AccentFile.self)

    public init() {}

    public func mount(on router: inout Router) {
        router.get(Self.stylesheet) { _, file in
            Response(
                fields: [
                    HeaderField(.contentType, "text/css; charset=utf-8"),
                    HeaderField(.cacheControl, "public, max-age=31536000, immutable"),
                    HeaderField(.xContentTypeOptions, "nosniff"),
                ],
                body: Array(Accent(file.colour).stylesheet.utf8)
            )
        }
    }

    /// Where the style sheet of an accent lies.
    public static func link(to accent: AccentColour) -> String {
        stylesheet.link(AccentFile(colour: accent))
    }
}

/// `17694a.css`: the colour in its one spelling.
struct AccentFile: PathValue, LosslessStringConvertible {
    let colour: AccentColour

    init(colour: AccentColour) {
        self.colour = colour
    }

    init?(_ description: String) {
        guard description.utf8.count == 10, let colour = AccentColour(rawValue: "#\(description.prefix(6))"),
            AccentFile(colour: colour).description == description
        else { return nil }
        self.colour = colour
    }

    var description: String { "\(colour.rawValue.dropFirst()).css" }
}
