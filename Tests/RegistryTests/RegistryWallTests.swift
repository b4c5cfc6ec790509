import Crypto
import Platform
import Postgres
import Testing

@testable import Registry

@Suite struct `The stores of a registry` {
    private static func add(_ domain: String, _ teams: Registered, in team: TeamID = .acme) async throws {
        try await teams.emailSources.create(.init(source: try EmailSource(parsing: domain)), in: team)
    }

    @Test func `show and change nothing of another team`() async throws {
        try await Registered.with { teams in
            let rival = TeamID.rival
            let app = try await teams.makeApp()
            let service = try await teams.makeService()
            let (key, appleKey) = (try await teams.keys.issue(), try await teams.bring())
            try await Self.add("acme.example", teams)
            let domain = try await teams.domains.find("acme.example", in: .acme)
            let source = try EmailSource(parsing: "acme.example")

            func expect(_ what: String, _ isNothing: Bool) { #expect(isNothing, "\(what)") }
            expect("App ID", try await teams.appIDs.find(app.identifier, in: rival) == nil)
            expect("App IDs", try await teams.appIDs.list(in: rival).total == 0)
            expect("consequences", try await teams.appIDs.consequences(of: app.identifier, in: rival) == nil)
            expect("change of an App ID", try await teams.appIDs.update(to: app.draft, in: rival) == .notFound)
            expect("deletion of an App ID", try await teams.appIDs.delete(app.identifier, in: rival) == nil)
            expect("Service ID", try await teams.serviceIDs.find(service.identifier, in: rival) == nil)
            expect("Service IDs", try await teams.serviceIDs.list(in: rival).total == 0)
            expect(
                "change of a Service ID", try await teams.serviceIDs.update(to: service.draft, in: rival) == .notFound)
            expect("deletion of a Service ID", try await teams.serviceIDs.delete(service.identifier, in: rival) == nil)
            expect("key", try await teams.keys.find(key.id, in: rival) == nil)
            expect("keys", try await teams.keys.list(in: rival).total == 0)
            expect("revocation of a key", try await teams.keys.revoke(key.id, in: rival) == nil)
            expect("key from Apple", try await teams.appleKeys.find(appleKey.id, in: rival) == nil)
            expect("keys from Apple", try await teams.appleKeys.list(in: rival).isEmpty)
            expect("private half", try await teams.appleKeys.signingKey(appleKey.id, in: rival) == nil)
            expect(
                "change of a key from Apple",
                try await teams.update(appleKey, to: appleKey.settings, in: rival) == .notFound)
            expect("deletion of a key from Apple", try await teams.delete(appleKey, in: rival) == nil)
            expect("domain", try await teams.domains.find("acme.example", in: rival) == nil)
            expect("domains due", try await teams.domains.takeDue(limit: 10, in: rival).isEmpty)
            expect("domains of a Service ID", try await teams.domains.list(of: service.identifier, in: rival).isEmpty)
            expect(
                "check of a domain", try await teams.domains.note(DomainFinding(.served, status: 200), in: rival) == nil
            )
            expect("email sources", try await teams.emailSources.list(in: rival).isEmpty)
            expect("deletion of an email source", try await teams.emailSources.delete(source, in: rival) == false)
            guard case .notFound = try await teams.keys.download(key.id, in: rival) else {
                return #expect(Bool(false), "downloaded")
            }
            let unknown = ValidationError.unknownAppID(app.identifier)
            let registration = try Key.Registration(
                id: "RIVALKEY01", name: "CI", appID: "com.acme.app",
                publicKeyPEM: P256SigningKey.generate().publicKey.pem)
            await #expect(throws: unknown) { try await teams.register(registration, in: rival) }
            await #expect(throws: unknown) { try await teams.bring(in: rival) }
            await #expect(throws: unknown) { try await teams.connect(by: appleKey.id, in: rival) }

            #expect(try await teams.appIDs.find(app.identifier, in: .acme) == app)
            #expect(try await teams.serviceIDs.find(service.identifier, in: .acme) == service)
            #expect(try await teams.keys.find(key.id, in: .acme) == key)
            #expect(try await teams.domains.find("acme.example", in: .acme) == domain)

            // The same names in another team are others.
            try await teams.makeApp(in: rival)
            try await teams.makeService(in: rival)
            await #expect(throws: ValidationError.unknownAppleKey(appleKey.id)) {
                try await teams.connect(by: appleKey.id, in: rival)
            }
            try await Self.add("acme.example", teams, in: rival)
            #expect(try await teams.domains.find("acme.example", in: rival)?.file != domain?.file)
            #expect(try await teams.emailSources.list(in: .acme).count == 1)
            // A sealed half moved to another team does not open there.
            try await teams.bring(in: rival)
            #expect(try await teams.appleKeys.signingKey(appleKey.id, in: rival) != nil)
        }
    }
}
