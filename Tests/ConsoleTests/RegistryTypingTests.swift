import Core
import Platform
import Registry
import Testing

@testable import Console

/// What the small script asks while somebody types: the same check as on submit, and nothing is kept.
@Suite(.environment) struct `A form as it is typed` {
    private struct Reply: Decodable {
        struct FieldError: Decodable {
            let id: String
            let message: String
        }

        let problems: [FieldError]
    }

    private func problems(_ browser: inout Browser, _ path: String, _ form: [(String, String)]) async throws -> [String:
        String]
    {
        let answer = try await browser.post("/console/ACMETEAM01/checks/\(path)", form)
        #expect(answer.status == 200 && answer["content-type"] == "application/json")
        let reply = try JSON.decode(Reply.self, from: Array(answer.text.utf8))
        return Dictionary(uniqueKeysWithValues: reply.problems.map { ($0.id, $0.message) })
    }

    @Test func `a Service ID named like a bundle ID is explained`() async throws {
        var owner = try await environment.acmeWeb("Ada", .owner)
        let form = [
            ("appID", "com.acme.app"), ("identifier", "com.acme.app"), ("description", "Web"),
            ("domains", "acme.example"), ("returnURLs", "https://acme.example/back"),
        ]

        let problems = try await problems(&owner, "service-ids", form)

        #expect(problems.keys.sorted() == ["field-identifier"])
        let message = try #require(problems["field-identifier"])
        #expect(message.contains("a Service ID never has that name") && message.contains("com.acme.app.web"))
        let submitted = try await owner.post("/console/ACMETEAM01/service-ids", form)
        #expect(submitted.status == 422 && submitted.text.contains("a Service ID never has that name"))
    }

    @Test func `it is explained before anything else is typed, and told with the rest on submit`() async throws {
        var owner = try await environment.acmeWeb("Ada", .owner)
        let form = [("appID", "com.acme.app"), ("identifier", "com.acme.app"), ("description", "")]

        let problems = try await problems(&owner, "service-ids", form)
        #expect(problems.keys.sorted() == ["field-description", "field-identifier"])
        let submitted = try await owner.post("/console/ACMETEAM01/service-ids", form)
        #expect(submitted.text.contains("a Service ID never has that name"))
        #expect(submitted.text.contains("This is required"))
    }

    @Test func `every field is told its own problem, and a right form none`() async throws {
        let web = try await environment.addAcmeWeb()
        var owner = try await environment.signedIn("Ada", [TeamID.acme: .owner])
        let app = [("identifier", "com_acme"), ("description", "")]
        #expect(try await problems(&owner, "app-ids", app).keys.sorted() == ["field-description", "field-identifier"])
        let good = [("identifier", "com.acme.second"), ("description", "Second")]
        #expect(try await problems(&owner, "app-ids", good).isEmpty)

        let changed = [
            ("description", "Acme Web"), ("domains", "acme.example\nacme"), ("returnURLs", "https://acme.example/back"),
            ("returnURLs", ""), ("returnURLs", "https://acme.example/back#top"), ("version", "\(web.version)"),
        ]
        let found = try await problems(&owner, "service-ids/com.acme.web", changed)
        #expect(found.keys.sorted() == ["field-domains", "field-returnURLs-3"])
    }

    @Test func `each wrong line of several is told, and named once`() async throws {
        let web = try await environment.addAcmeWeb()
        var owner = try await environment.signedIn("Ada", [TeamID.acme: .owner])
        let changed = [
            ("description", "Acme Web"), ("domains", "acme\nacme.example\nhttps://acme.test"),
            ("version", "\(web.version)"),
        ]
        let told = [#""acme" is not a host name"#, "https://acme.test: Enter only the host name"]

        let answer = try await owner.post("/console/ACMETEAM01/checks/service-ids/com.acme.web", changed)
        let reply = try JSON.decode(Reply.self, from: Array(answer.text.utf8))
        #expect(reply.problems.map(\.id) == ["field-domains", "field-domains"])
        for (problem, beginning) in zip(reply.problems, told) { #expect(problem.message.hasPrefix(beginning)) }

        let submitted = try await owner.post("/console/ACMETEAM01/service-ids/com.acme.web", changed)
        let page = submitted.text.replacing("&#34;", with: "\"").replacing("&quot;", with: "\"")
        for beginning in told { #expect(page.contains(">\(beginning)")) }
        #expect(!page.contains("acme: "))
    }

    @Test(arguments: ["app-ids", "service-ids", "apple", "apple-keys", "email-sources"])
    func `with fields missing, twice, or of another form is refused beside its fields`(kind: String) async throws {
        var owner = try await environment.acmeWeb("Ada", .owner)
        let twice = ["identifier", "source", "id", "servicesID", "description", "domains", "returnURLs", "selectors"]
            .flatMap { name in [(name, "not one of these"), (name, "not one of these")] }
        let foreign = [("email", "ada@acme.example"), ("role", "owner"), ("returnURLs[0]", "x"), ("domains[7]", "x")]

        for form in [[], twice, foreign] {
            let typed = try await owner.post("/console/ACMETEAM01/checks/\(kind)", form)
            #expect(typed.status == 200 && typed.text.contains("\"message\""), "\(form)")
            let submitted = try await owner.post("/console/ACMETEAM01/\(kind)", form)
            // The page of a new connection has no form before there is a key.
            let isTold = kind == "apple" || submitted.text.contains("role=\"alert\"")
            #expect(submitted.status == 422 && isTold, "\(form)")
        }
    }

    @Test func `nothing is kept, made known or written down`() async throws {
        var owner = try await environment.acmeWeb("Ada", .owner)
        let events = try environment.count("audit_events")
        let version = try environment.admin("SELECT version::text FROM registry_versions")

        let form = [("identifier", "com.acme.second"), ("description", "Second")]
        #expect(try await problems(&owner, "app-ids", form).isEmpty)
        let change = [("description", "Other"), ("domains", ""), ("returnURLs", ""), ("version", "1")]
        #expect(try await problems(&owner, "service-ids/com.acme.web", change).isEmpty)

        #expect(try environment.identifiers("identifier", of: "app_ids") == ["com.acme.app"])
        #expect(try environment.identifiers("description", of: "service_ids") == ["Acme Web"])
        #expect(try environment.count("audit_events") == events)
        #expect(try environment.admin("SELECT version::text FROM registry_versions") == version)
    }
}
