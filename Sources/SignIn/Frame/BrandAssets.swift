public import HTTP
public import Platform

/// Route that serves a team's accent as a style sheet.
///
/// The sheet is a file because pages have no inline styles. It depends on the colour alone, so one URL serves every
/// team with that colour and browsers may cache it for ever.
public struct BrandAssets: Sendable {
    /// The version number changes when the sheet of a colour changes.
    static let stylesheet = Route("/accents/2/:colour", AccentFile.self)

    public init() {}

    public func mount(on router: inout Router) {
        router.get(Self.stylesheet) { _, file in
            Response(
                fields: [
                    HeaderField(.contentType, "text/css; charset=utf-8"),
                    HeaderField(.cacheControl, "public, max-age=31536000, immutable"),
                    HeaderField(.xContentTypeOptions, "nosniff"),
                ], body: Array(Accent(file.colour).stylesheet.utf8))
        }
    }

    /// Path of the style sheet of an accent colour.
    public static func link(to accent: AccentColour) -> String { stylesheet.link(AccentFile(colour: accent)) }
}
