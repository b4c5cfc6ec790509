import Platform
import Registry
import Testing

@testable import Console

@Suite(.environment) struct `Service IDs in the console` {
    private static let list = "/console/ACMETEAM01/service-ids"
    private static let page = "/console/ACMETEAM01/service-ids/com.acme.web"

    private func form(_ urls: [String], _ more: [(String, String)] = []) -> [(String, String)] {
        [
            ("identifier", "com.acme.web"), ("appID", "com.acme.app"), ("description", "Acme Web"),
            ("domains", "acme.example\r\n\r\nacme.test\r\n"),
        ] + urls.map { ("returnURLs", $0) } + more
    }

    @Test func `one save takes domains, return URLs and the look of tokens`() async throws {
        var owner = try await environment.signedIn("Ada", [TeamID.acme: .owner])
        _ = try await owner.post(
            "/console/ACMETEAM01/app-ids", [("identifier", "com.acme.app"), ("description", "Acme"), ("signIn", "yes")])

        let created = try await owner.post(Self.list, form(["https://acme.example/back", ""]))
        #expect(created.location == Self.page)
        let saved = try await owner.post(
            Self.page,
            form(
                ["", "https://acme.example/back ", "https://www.acme.test/back?a=b"],
                [("issuer", "apple"), ("booleans", "string"), ("requirePKCE", "yes"), ("version", "1")]))

        #expect(saved.status == 303)
        #expect(try environment.identifiers("domain", of: "service_domains") == ["acme.example", "acme.test"])
        #expect(
            try environment.identifiers("url", of: "return_urls") == [
                "https://acme.example/back", "https://www.acme.test/back?a=b",
            ])
        let text = try await owner.get(Self.page).text
        #expect(text.contains("<dt>Issuer</dt><dd><span class=\"copy\"><code>https://appleid.apple.com</code>"))
        #expect(text.contains("<code>\(environment.publicURL)/t/ACMETEAM01/auth/token</code>"))
        #expect(text.contains("there is none yet"))
    }

    @Test func `an eleventh return URL is refused beside its row and none is lost`() async throws {
        var owner = try await environment.acmeWeb("Ada", .owner)
        let urls = (1...11).map { "https://acme.example/\($0)" }

        let answer = try await owner.post(Self.page, form(urls, [("version", "1")]))

        #expect(answer.status == 422)
        #expect(answer.text.contains("id=\"field-returnURLs-11-error\""))
        #expect(answer.text.contains("There are too many: at most 10."))
        for url in urls { #expect(answer.text.contains("value=\"\(url)\"")) }
        #expect(try environment.identifiers("url", of: "return_urls") == ["https://acme.example/back"])
    }

    @Test func `each return URL has its own error, beside the row it was typed in`() async throws {
        var owner = try await environment.acmeWeb("Ada", .owner)
        let urls = [
            "https://acme.example/a", "", "http://acme.example/b", "https://rival.example/", "https://acme.example/a",
        ]

        let answer = try await owner.post(Self.page, form(urls, [("version", "1")])).text

        #expect(!answer.contains("field-returnURLs-1-error") && !answer.contains("field-returnURLs-2-error"))
        #expect(answer.between("id=\"field-returnURLs-3-error\"", "</p>")?.contains("Use https") == true)
        #expect(answer.between("id=\"field-returnURLs-4-error\"", "</p>")?.contains("rival.example") == true)
        #expect(answer.between("id=\"field-returnURLs-5-error\"", "</p>")?.contains("duplicate") == true)
        #expect(answer.contains("href=\"#field-returnURLs-4\""))
    }

    @Test(arguments: ["description", "domains", "returnURLs", "issuer", "booleans"])
    func `a save that does not send a setting leaves it as it is`(absent: String) async throws {
        var owner = try await environment.acmeWeb("Ada", .owner)
        let sent = [
            ("description", "Shop"), ("domains", "acme.example"), ("returnURLs", "https://acme.example/other"),
            ("issuer", "apple"), ("booleans", "string"), ("version", "1"),
        ].filter { $0.0 != absent }
        let id = try ClientID(parsing: "com.acme.web")
        let before = try #require(try await environment.registry.serviceIDs.find(id, in: .acme)).settings.typed

        let answer = try await owner.post(Self.page, sent)

        let after = try #require(try await environment.registry.serviceIDs.find(id, in: .acme)).settings.typed
        #expect(answer.status == 303 && after[absent] == before[absent])
        for name in ["issuer", "booleans"] where name != absent { #expect(after[name] != before[name]) }
    }

    @Test func `a sixth is refused in a clear sentence`() async throws {
        var owner = try await environment.acmeWeb("Ada", .owner)
        func post(_ name: String) async throws -> Browser.Answer {
            try await owner.post(Self.list, [("identifier", name), ("appID", "com.acme.app"), ("description", "Web")])
        }
        for number in 2...5 { #expect(try await post("com.acme.web\(number)").status == 303) }

        let sixth = try await post("com.acme.web6")

        #expect(sixth.status == 422)
        #expect(sixth.text.contains("com.acme.app has 5 Service IDs already"))
        #expect(sixth.text.contains("value=\"com.acme.web6\""))
    }

    @Test func `who saves second sees both versions, return URLs included`() async throws {
        var owner = try await environment.acmeWeb("Ada", .owner)
        _ = try await owner.post(Self.page, form(["https://acme.example/ada"], [("version", "1")]))

        let answer = try await owner.post(Self.page, form(["https://acme.example/ben"], [("version", "1")]))

        #expect(answer.status == 409)
        #expect(
            answer.text.contains(">https://acme.example/ada</td>")
                && answer.text.contains(">https://acme.example/ben</td>"))
        #expect(answer.text.contains("name=\"returnURLs\" value=\"https://acme.example/ben\""))
        #expect(try environment.identifiers("url", of: "return_urls") == ["https://acme.example/ada"])
    }
}
