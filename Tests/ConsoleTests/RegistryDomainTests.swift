import HTTP
import Platform
import Registry
import Synchronization
import Testing

@Suite(.environment) struct `Domains in the console` {
    private static let page = "/console/ACMETEAM01/domains/127.0.0.1"

    /// What the site serves where the association file belongs.
    private final class Content: Sendable { let text = Mutex("Welcome to Acme") }

    /// Lends `body` a Service ID of Acme's on a site of this machine.
    private func withSite(_ body: (Content) async throws -> Void) async throws {
        let content = Content()
        var router = Router()
        router.get(Route(AssociationFile.path)) { _ in .text(content.text.withLock { $0 }) }
        let options = ServerOptions(address: try #require(IPAddress("127.0.0.1")), port: 0)
        let application = Application(routes: try router.frozen())
        let site = try await Server.start(application, options, on: [environment.loop])[0]
        var owner = try await environment.acmeWeb("Olga", .owner)
        let form = [
            ("appID", "com.acme.app"), ("identifier", "com.acme.local"), ("description", "Local"),
            ("domains", "127.0.0.1"), ("returnURLs", "http://127.0.0.1:\(site.port)/back"),
        ]
        #expect(try await owner.post("/console/ACMETEAM01/service-ids", form).status == 303)
        let result: Result<Void, any Error>
        do { result = .success(try await body(content)) } catch { result = .failure(error) }
        await site.stop(within: .zero)
        try result.get()
    }

    @Test func `a check says what was seen, and the right file verifies the domain`() async throws {
        try await withSite() { content in
            var developer = try await environment.signedIn("Ada", [TeamID.acme: .developer])
            let before = try await developer.get(Self.page)
            #expect(before.status == 200 && before.text.contains("Not checked yet"))

            #expect(try await developer.post("\(Self.page)/checks").status == 303)
            let wrong = try await developer.get(Self.page).text
            #expect(wrong.contains("The server answered 200, but with another content."))
            #expect(wrong.contains("<code>Welcome to Acme</code>") && wrong.contains("Not needed here"))

            let file = try await developer.get("\(Self.page)/association-file")
            #expect(file["content-disposition"]?.contains("apple-developer-domain-association.txt") == true)
            content.text.withLock { $0 = file.text }
            #expect(try await developer.post("\(Self.page)/checks").status == 303)
            let right = try await developer.get(Self.page).text
            #expect(right.contains("It is verified") && right.contains("The file is there."))
            #expect(try environment.allActions(in: .acme).last == "domain.verified")
            let service = try await developer.get("/console/ACMETEAM01/service-ids/com.acme.local").text
            #expect(service.contains("Verified"))
        }
    }

    @Test func `what a site serves is shown as text`() async throws {
        try await withSite() { content in
            var owner = try await environment.signedIn("Ada", [TeamID.acme: .owner])
            content.text.withLock { $0 = "<script>alert(1)</script>" }

            _ = try await owner.post("\(Self.page)/checks")

            let text = try await owner.get(Self.page).text
            #expect(text.contains("&lt;script&gt;alert(1)") && !text.contains("<script>alert"))
        }
    }
}
