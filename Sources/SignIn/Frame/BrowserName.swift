public import Core

/// Common names of the browser and operating system in a `User-Agent` field.
///
/// A guess for lists of sessions; no decision depends on it.
public struct BrowserName: LocalizedTextConvertible {
    /// Names such as `Firefox · Windows`; empty if the field matches no known browser or system.
    public let known: String
    private let userAgent: String

    public init(userAgent: String) {
        let parts = [Self.browser(userAgent), Self.system(userAgent)].compactMap { $0 }
        known = parts.joined(separator: " · ")
        self.userAgent = userAgent
    }

    /// `known`; otherwise the first 40 bytes of the field, or "unknown browser" if the field is empty.
    public var localizedText: LocalizedText {
        if !known.isEmpty { return .verbatim(known) }
        guard !userAgent.isEmpty else { return .message(Message("shared.parts.unknown-browser")) }
        return .verbatim(userAgent.cut(toOctets: 40))
    }

    /// Ordered, because browsers also send the tokens of the browsers they descend from.
    private static let browsers = [
        ("Edg", "Edge"), ("OPR/", "Opera"), ("SamsungBrowser", "Samsung Internet"), ("YaBrowser", "Yandex"),
        ("Firefox/", "Firefox"), ("FxiOS", "Firefox"), ("Chrome/", "Chrome"), ("CriOS", "Chrome"),
        ("Safari/", "Safari"), ("curl/", "curl"),
    ]
    private static let systems = [
        ("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("Windows", "Windows"), ("Mac OS X", "macOS"),
        ("CrOS", "ChromeOS"), ("Linux", "Linux"),
    ]

    private static func browser(_ agent: String) -> String? { browsers.first { agent.contains($0.0) }?.1 }

    private static func system(_ agent: String) -> String? { systems.first { agent.contains($0.0) }?.1 }
}
