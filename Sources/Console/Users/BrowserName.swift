import Bytes

/// A browser in words, read from its `User-Agent`: good enough for a person to know their own by.
enum BrowserName {
    /// The first that fits counts: every browser also claims to be the ones below it.
    private static let browsers = [
        ("Edg", "Edge"), ("OPR/", "Opera"), ("Firefox/", "Firefox"), ("FxiOS/", "Firefox"),
        ("CriOS/", "Chrome"),
        ("Chrome/", "Chrome"), ("Safari/", "Safari"),
    ]
    private static let systems = [
        ("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("Windows", "Windows"),
        ("Macintosh", "macOS"), ("CrOS", "ChromeOS"), ("Linux", "Linux"),
    ]

    static func words(for userAgent: String) -> any Wording {
        let browser = browsers.first { userAgent.contains($0.0) }?.1
        let system = systems.first { userAgent.contains($0.0) }?.1
        switch (browser, system) {
        case (let browser?, let system?):
            return Phrase("console.users.browser.on", ["browser": browser, "system": system])
        case (let name?, nil), (nil, let name?): return name
        case (nil, nil):
            let product = userAgent.unicodeScalars.prefix { $0 != " " && $0 != "/" }
            guard product.isEmpty else { return String(product) }
            return Phrase("console.users.browser.unknown")
        }
    }
}
