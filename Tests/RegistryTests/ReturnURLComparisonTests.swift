import Testing

@testable import Registry

@Suite struct `The nearest return URL` {
    private static let registered = [
        "https://acme.example/callback", "https://acme.example/other?type=appleid", "https://www.shop.example/",
        "http://127.0.0.1:9000/callback",
    ].map(ReturnURL.init(stored:))

    private static let cases: [(String, String, [ReturnURLComparison.Difference])] = [
        ("https://acme.example/callback", "https://acme.example/callback", []),
        ("https://acme.example/callback/", "https://acme.example/callback", [.trailingSlash]),
        ("https://acme.example/Callback", "https://acme.example/callback", [.letterCase]),
        ("HTTPS://acme.example/callback", "https://acme.example/callback", [.letterCase]),
        ("https://ACME.example/callback", "https://acme.example/callback", [.letterCase]),
        ("https://www.acme.example/callback", "https://acme.example/callback", [.www]),
        ("https://shop.example/", "https://www.shop.example/", [.www]),
        ("http://acme.example/callback", "https://acme.example/callback", [.scheme]),
        ("https://acme.example/callback?x=1", "https://acme.example/callback", [.query]),
        ("https://acme.example/other", "https://acme.example/other?type=appleid", [.query]),
        ("https://acme.example/callback#", "https://acme.example/callback", [.fragment]),
        ("https://acme.example:8443/callback", "https://acme.example/callback", [.port]),
        ("https://acme.example/%63allback", "https://acme.example/callback", [.percentEncoding]),
        ("http://127.0.0.1:9001/callback", "http://127.0.0.1:9000/callback", [.port]),
        ("https://acme.example/elsewhere", "https://acme.example/callback", [.path]),
        ("https://evil.example/callback", "https://acme.example/callback", [.host]),
        (
            "http://www.acme.example/callback/?x", "https://acme.example/callback",
            [.trailingSlash, .www, .scheme, .query]
        ),
    ]

    @Test(arguments: cases) func `is found and the difference named`(
        sent: String, nearest: String, differences: [ReturnURLComparison.Difference]
    ) {
        let comparison = ReturnURLComparison(sent, with: Self.registered)

        #expect(comparison?.nearest.text == nearest)
        #expect(comparison?.differences == differences)
    }

    @Test func `does not exist where none is registered`() {
        #expect(ReturnURLComparison("https://acme.example/", with: []) == nil)
    }
}
