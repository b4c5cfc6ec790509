import Crypto
import OAuth
import Platform
import Postgres
import Synchronization
import TestSupport
import Testing

@testable import Directory

@Suite struct `Consents` {
    private let name = PersonName(given: "Countess", family: "Ada")

    @Test func `keep the name as it was edited, and share the address`() async throws {
        try await withAda { environment, ada in
            let granted = try await grant(name, .shared, by: ada, in: environment)

            let consent = try await environment.consents().find(of: ada, for: .app, in: .acme)
            #expect(consent == granted.consent)
            #expect(consent?.name == name)
            #expect(consent?.email == .shared)
            #expect(consent?.deliveredAt == nil)
            #expect(granted.user.name.given == "Ada")
            #expect(granted.user.relayAddress == nil)
        }
    }

    @Test func `say whether the app asked for a name at all`() async throws {
        try await withAda { environment, ada in
            try await grant(nil, .withheld, by: ada, in: environment)
            try await grant(PersonName.none, .withheld, by: ada, to: .otherApp, in: environment)

            let consents = try environment.consents()
            #expect(try await consents.find(of: ada, for: .app, in: .acme)?.name == nil)
            #expect(try await consents.find(of: ada, for: .otherApp, in: .acme)?.name == PersonName.none)
        }
    }

    @Test func `that stand are left alone`() async throws {
        try await withAda { environment, ada in
            let first = try await grant(name, .shared, by: ada, in: environment)

            let second = try await grant(nil, .withheld, by: ada, in: environment)

            #expect(second.consent == first.consent)
            #expect(try environment.actions() == ["consent.granted"])
        }
    }

    @Test func `give out one relay address a person, for ever`() async throws {
        try await withAda { environment, ada in
            let first = try await grant(nil, .hidden, by: ada, in: environment).user.relayAddress
            try environment.admin("DELETE FROM consents WHERE sub = $1", ada.rawValue)
            let again = try await grant(nil, .hidden, by: ada, in: environment).user.relayAddress
            let elsewhere = try await grant(nil, .shared, by: ada, to: .otherApp, in: environment).user.relayAddress

            let address = try #require(first).rawValue
            #expect(again == first && elsewhere == first)
            #expect(address.hasSuffix("@relay.example"))
            #expect(address.utf8.prefix(16).allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) })
            #expect(address.utf8.count == 16 + "@relay.example".utf8.count)
        }
    }

    @Test func `given to two apps at once give out the same relay address`() async throws {
        try await withAda { environment, ada in
            let apps = [ClientID.app, ClientID.otherApp]

            let granted = try await race(20) { index in
                try await grant(nil, .hidden, by: ada, to: apps[index % 2], in: environment)
            }

            #expect(Set(granted.map(\.user.relayAddress)).count == 1)
            #expect(try environment.count("consents", of: ada) == 2)
            #expect(try environment.actions() == ["consent.granted", "consent.granted"])
        }
    }

    @Test func `draw another relay address when one is taken`() async throws {
        try await withAda { environment, ada in
            let ben = try await environment.add("Ben")
            let calls = Atomic(0)
            // The first two draws are alike.
            let random = RandomSource { count in
                let call = calls.add(1, ordering: .relaxed).oldValue
                return [UInt8](repeating: call < 2 ? 0 : UInt8(truncatingIfNeeded: call), count: count)
            }

            let first = try await grant(nil, .hidden, by: ada, in: environment, random: random).user
            let second = try await grant(nil, .hidden, by: ben, in: environment, random: random).user

            #expect(first.relayAddress?.rawValue == "aaaaaaaaaaaaaaaa@relay.example")
            #expect(second.relayAddress?.rawValue == "cccccccccccccccc@relay.example")
        }
    }

    @Test func `are recorded without name and address`() async throws {
        try await withAda { environment, ada in
            let relay = try await grant(name, .hidden, by: ada, in: environment).user.relayAddress

            let log = try environment.log()
            #expect(log.contains("hidden"))
            #expect(!log.contains("Countess"))
            #expect(!log.contains(try #require(relay).rawValue))
        }
    }

    @discardableResult private func grant(
        _ name: PersonName?, _ email: Consent.EmailChoice, by subject: Subject, to app: ClientID = .app,
        in environment: TestEnvironment, team: TeamID = .acme, random: RandomSource = .system
    ) async throws -> ConsentStore.Granted {
        try await environment.consents(random: random).grant(
            ConsentChoice(name: name, email: email), of: subject, to: app, in: team, from: .test)
    }

    private func withAda(_ body: @escaping @Sendable (TestEnvironment, Subject) async throws -> Void) async throws {
        try await withEnvironment { environment in
            let ada = try await environment.add("Ada")
            for app in [ClientID.app, ClientID.otherApp] { try environment.addApp(app) }
            try await body(environment, ada)
        }
    }
}
