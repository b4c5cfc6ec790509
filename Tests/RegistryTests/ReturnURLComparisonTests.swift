import Testing

@testable import Registry

@Suite struct `The nearest return URL` {
    private static let registered = [
        "https://acme.example/callback", "https://acme.example/other?type=appleid",
        "https://www.shop.example/",
        "http://127.0.0.1:9000/callback",
    ].map(ReturnURL.init(stored:))

    @Test(arguments: [
        ("https://acme.example/callback", "https://acme.example/callback", "is registered"),
        (
            "https://acme.example/callback/", "https://acme.example/callback",
            "differs only by a trailing slash"
        ),
        (
            "https://acme.example/Callback", "https://acme.example/callback",
            "differs only by upper and lower case"
        ),
        (
            "HTTPS://acme.example/callback", "https://acme.example/callback",
            "differs only by upper and lower case"
        ),
        (
            "https://ACME.example/callback", "https://acme.example/callback",
            "differs only by upper and lower case"
        ),
        (
            "https://www.acme.example/callback", "https://acme.example/callback",
            "differs only by www. before the host"
        ),
        ("https://shop.example/", "https://www.shop.example/", "differs only by www. before the host"),
        ("http://acme.example/callback", "https://acme.example/callback", "differs only by the scheme"),
        ("https://acme.example/callback?x=1", "https://acme.example/callback", "differs only by the query"),
        (
            "https://acme.example/other", "https://acme.example/other?type=appleid",
            "differs only by the query"
        ),
        ("https://acme.example/callback#", "https://acme.example/callback", "differs only by a fragment"),
        ("https://acme.example:8443/callback", "https://acme.example/callback", "differs only by the port"),
        (
            "https://acme.example/%63allback", "https://acme.example/callback",
            "differs only by percent-encoding"
        ),
        ("http://127.0.0.1:9001/callback", "http://127.0.0.1:9000/callback", "differs only by the port"),
        ("https://acme.example/elsewhere", "https://acme.example/callback", "differs only by the path"),
        ("https://evil.example/callback", "https://acme.example/callback", "differs only by the host"),
        (
            "http://www.acme.example/callback/?x", "https://acme.example/callback",
            "differs by a trailing slash, www. before the host, the scheme and the query"
        ),
    ])
    func `is found and the difference named`(sent: String, nearest: String, explanation: String) {
        let comparison = ReturnURLComparison(sent, with: Self.registered)

        #expect(comparison?.nearest.text == nearest)
        #expect(comparison?.explanation == explanation)
    }

    @Test func `does not exist where none is registered`() {
        #expect(ReturnURLComparison("https://acme.example/", with: []) == nil)
    }
}
