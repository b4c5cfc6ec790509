import AuthEngine
import Bytes
import Domain
import HTTP
import Templates
import Testing
import Web

@testable import Console

@Suite struct `The inspector's words for what goes wrong at Apple` {
    private static let causes = RefusalCause.allCases.filter { $0.rawValue.hasPrefix("provider_") }

    @Test func `stand on the page of the sign-in, with the true reason, and in the list`() async throws {
        try await withWorld { world in
            _ = try await world.addAcmeWeb()
            var developer = try await world.signedIn("developer", [World.acme: .developer])
            let team = try #require(try await world.parts.teams.snapshot(of: World.acme))
            let texts = try Texts(folder: repository + "/Texts")
            for (number, cause) in Self.causes.enumerated() {
                let failure = ProviderFailure(cause, .anew, because: "what Apple said, number \(number).")
                world.parts.flows.refuse(
                    OAuthError(failure),
                    .requestRefused,
                    of: [FormCoding.Field("client_id", "com.acme.web")],
                    to: team,
                    from: Origin(ip: "203.0.113.7", userAgent: "Test/1.0", requestID: "request-\(number)")
                )
            }
            await world.parts.flows.finish()

            for (number, cause) in Self.causes.enumerated() {
                let list = try await developer.get(
                    "\(ConsoleRoutes.flows.link(World.acme))?cause=\(cause.rawValue)"
                )
                let page = try await developer.get(try #require(Self.firstFlow(on: list.text)))
                let title = texts.text(Phrase(in: "console.causes", cause.rawValue))
                let meaning = texts.text(Phrase(in: "console.cause-meanings", cause.rawValue))
                #expect(list.text.contains(title) && page.text.contains(title), "\(cause)")
                #expect(page.text.contains(meaning), "\(cause)")
                #expect(page.text.contains(">Likely causes, the likeliest first<"), "\(cause)")
                #expect(page.text.contains("what Apple said, number \(number)."), "\(cause)")
            }
        }
    }

    private static func firstFlow(on page: String) -> String? {
        page.split(separator: "\"").map(String.init)
            .first { $0.hasPrefix("/console/") && $0.split(separator: "/").last?.utf8.count == 28 }
    }
}
