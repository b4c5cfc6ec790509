import Bytes

/// What a `User-Agent` field says of a browser, as people call it.
///
/// A guess for lists of sessions: nothing is decided by it.
public struct BrowserName: Sendable {
    /// Such as `Firefox · Windows`; the beginning of the field where nothing in it is known.
    public let text: String
    /// The same in words of ours alone, for what is mailed; empty where nothing in the field is known.
    public let known: String

    public init(userAgent: String) {
        let parts = [Self.browser(userAgent), Self.system(userAgent)].compactMap { $0 }
        known = parts.joined(separator: " · ")
        text = parts.isEmpty ? userAgent.cut(toOctets: 40) : known
    }

    /// The order matters: browsers claim to be their forerunners.
    private static let browsers = [
        ("Edg", "Edge"), ("OPR/", "Opera"), ("SamsungBrowser", "Samsung Internet"), ("YaBrowser", "Yandex"),
        ("Firefox/", "Firefox"), ("FxiOS", "Firefox"), ("Chrome/", "Chrome"), ("CriOS", "Chrome"),
        ("Safari/", "Safari"), ("curl/", "curl"),
    ]
    private static let systems = [
        ("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("Windows", "Windows"),
        ("Mac OS X", "macOS"), ("CrOS", "ChromeOS"), ("Linux", "Linux"),
    ]

    private static func browser(_ agent: String) -> String? {
        browsers.first { agent.contains($0.0) }?.1
    }

    private static func system(_ agent: String) -> String? {
        systems.first { agent.contains($0.0) }?.1
    }
}
