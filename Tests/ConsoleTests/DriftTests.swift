import Accounts
import Federation
import HTTP
import Platform
import SignIn
import Simulator
import Synchronization
import Testing

@testable import Console

@Suite(.environment) struct `The watch over what Apple publishes` {
    private static let page = OperatorRoutes.drift.link()
    private static let approval = OperatorRoutes.driftApproval.link(.discovery)

    /// Counts its alarms.
    private final class Alarms: Sendable {
        let documents = Mutex<[WatchedDocument.Name]>([])

        func watch() -> AppleWatch {
            AppleWatch(
                environment.parts.database, apple: environment.parts.apple, clock: environment.parts.server.clock
            ) { document in self.documents.withLock { $0.append(document.name) } }
        }

        var all: [WatchedDocument.Name] { documents.withLock { $0 } }
    }

    @Test func `is silent as long as Apple is what is pinned`() async throws {
        try environment.openAppleSide()
        let alarms = Alarms()

        for _ in 0..<2 { try await alarms.watch().check() }

        #expect(alarms.all.isEmpty)
        let documents = try await WatchedDocumentStore(environment.parts.database).list()
        #expect(documents.map(\.name) == [.discovery, .keys])
        #expect(documents.allSatisfy { $0.differsSince == nil && $0.known == $0.seen })
        #expect(documents.first?.known == environment.parts.apple.pinnedDiscovery)
    }

    @Test func `raises one alarm for another issuer, which an operator ends and which changes no trust`() async throws {
        try environment.openAppleSide()
        var olive = try await environment.signedIn("Olive", [.system: .operator])
        let (alarms, pinned) = (Alarms(), environment.parts.apple.pinnedDiscovery)
        environment.script.set(.otherIssuer, at: .discovery, times: 2)

        for _ in 0..<2 { try await alarms.watch().check() }

        #expect(alarms.all == [.discovery])
        let text = try await olive.get(Self.page).text
        #expect(text.contains("https://account.apple.com") && text.contains(pinned["issuer"] ?? "?"))
        #expect(text.contains("is in use here"))
        let health = try await olive.get("/console/operator").text
        #expect(health.contains("description has changed"))
        #expect(health.contains("see Apple API changes"))
        _ = try await olive.post(Self.approval, [("seen", "something else")])
        #expect(try await olive.get(Self.page).text.contains("Different since"))
        let digest = try #require(text.between("name=\"seen\" value=\"", "\""))
        _ = try await olive.post(Self.approval, [("seen", digest)])

        let documents = try await WatchedDocumentStore(environment.parts.database).list()
        #expect(documents.first?.differsSince == nil)
        #expect(documents.first?.known["issuer"] == "https://account.apple.com")
        #expect(try environment.allActions(in: .system).last == "apple_publication.approved")
        let event = try environment.admin(
            """
            SELECT before->>'issuer', after->>'issuer' FROM audit_events
            WHERE action = 'apple_publication.approved'
            """)
        #expect(event == [[pinned["issuer"], "https://account.apple.com"]])
        #expect(environment.parts.apple.pinnedDiscovery == pinned)
        // Apple goes back to what is pinned, which is known whatever else was approved.
        try await alarms.watch().check()
        #expect(alarms.all == [.discovery])
        let back = try await WatchedDocumentStore(environment.parts.database).list().first
        #expect(back?.known == pinned && back?.differsSince == nil)
        environment.script.set(.otherIssuer, at: .discovery)
        try await alarms.watch().check()
        #expect(alarms.all == [.discovery])
    }

    @Test func `tells of keys that come`() async throws {
        try environment.openAppleSide()
        let alarms = Alarms()
        try await alarms.watch().check()
        environment.script.set(.newKey, at: .token)

        try await alarms.watch().check()

        #expect(alarms.all == [.keys])
        let keys = try await WatchedDocumentStore(environment.parts.database).list().last
        #expect(keys?.differences.map(\.name) == ["EXTRAKEY01"])
    }

    @Test func `compares with what this version pins, whatever an earlier one did`() async throws {
        try environment.openAppleSide()
        let alarms = Alarms()
        try await alarms.watch().check()
        try environment.admin(
            """
            UPDATE apple_publications SET known = known || '{"revocation_endpoint": "https://apple.example/"}'
            WHERE document = 'discovery'
            """)

        try await alarms.watch().check()

        #expect(alarms.all.isEmpty)
        let document = try await WatchedDocumentStore(environment.parts.database).list().first
        #expect(document?.known == environment.parts.apple.pinnedDiscovery && document?.differsSince == nil)
    }

    @Test func `goes on when Apple does not answer`() async throws {
        try environment.openAppleSide()
        let alarms = Alarms()
        environment.script.set(.trouble, at: .discovery)

        await #expect(throws: (any Error).self) { try await alarms.watch().check() }
        try await alarms.watch().check()

        #expect(alarms.all.isEmpty)
    }
}
