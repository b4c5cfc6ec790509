import Bytes
import Domain
import Testing

@testable import Directory

/// Whom a native app announces, while nobody knows whether they are here.
@Suite struct ProviderAnnouncementTests {
    private static let person = Subject(hexadecimal: "a1")
    private static let later = World.noon + .seconds(60)

    private func arrival(
        at moment: Timestamp = World.noon,
        called name: String? = nil,
        to app: ClientID = World.app
    ) -> ProviderPersonStore.Arrival {
        let identity = ProviderIdentity(
            identifier: Self.person,
            email: nil,
            transferSubject: nil,
            realUserStatus: nil,
            authenticatedAt: moment
        )
        return ProviderPersonStore.Arrival(
            identity,
            from: .apple,
            form: name.map { ProviderForm(givenName: $0, familyName: "", email: nil, from: .app) },
            group: app,
            asking: [.name, .email],
            origin: World.origin,
            at: moment
        )
    }

    private func announce(
        _ name: String,
        as mark: [UInt8] = [1],
        in team: TeamID = World.acme,
        _ world: World
    ) async throws -> ProviderAnnouncement {
        let announcement = ProviderAnnouncement(
            arrival(called: name),
            as: mark,
            heldUntil: World.noon + .seconds(30)
        )
        let whom = try await ProviderPersonStore(world.database).announce(announcement, in: team)
        if case .stranger = whom {} else { Issue.record("somebody knows them") }
        return announcement
    }

    @Test func `are nobody before, and come with the name that waited`() async throws {
        try await withWorld { world in
            try world.addApp(World.app)
            _ = try await announce("Rita", world)
            #expect(try world.admin("SELECT FROM users WHERE sub = $1", Self.person.rawValue).isEmpty)

            let people = ProviderPersonStore(world.database)
            let known = try #require(try await people.record(arrival(at: Self.later), in: World.acme))
            let again = try #require(try await people.record(arrival(at: Self.later), in: World.acme))
            #expect(known.user.subject == Self.person)
            #expect(again.consent?.name?.given == "Rita" && again.consent?.deliveredAt == nil)
            #expect(try world.admin("SELECT FROM provider_announcements").isEmpty)
        }
    }

    @Test func `wait for no other team's person, and for no other group of apps`() async throws {
        try await withWorld { world in
            for app in [World.app, World.otherApp] { try world.addApp(app) }
            try world.addApp(World.app, to: World.rival)
            let announcement = try await announce("Rita", world)

            let people = ProviderPersonStore(world.database)
            _ = try await people.record(arrival(at: Self.later), in: World.rival)
            _ = try await people.record(arrival(at: Self.later, to: World.otherApp), in: World.acme)
            try await people.dismiss(announcement, isRefused: true, in: World.rival)
            let foreign = try await people.record(
                arrival(called: "Rita"),
                announcedBy: announcement,
                in: World.rival
            )
            if case .parted = foreign {} else { Issue.record("another team's") }
            try await world.database.query(
                ProviderAnnouncement.removal(of: Self.person, in: World.rival),
                in: World.rival
            )

            let waiting = "SELECT form_given_name FROM provider_announcements WHERE team_id = 'ACMETEAM01'"
            #expect(try world.admin(waiting) == [["Rita"]])
            let names = "SELECT DISTINCT form_given_name FROM provider_identities"
            #expect(try world.admin(names) == [[""]])
        }
    }

    @Test func `are gone once refused, unless an earlier try may have been good`() async throws {
        try await withWorld { world in
            let people = ProviderPersonStore(world.database)
            let first = try await announce("Rita", world)
            try await people.dismiss(first, isRefused: true, in: World.acme)
            #expect(try world.admin("SELECT FROM provider_announcements").isEmpty)

            try await people.dismiss(try await announce("Rita", world), isRefused: false, in: World.acme)
            try await people.dismiss(try await announce("Rita", world), isRefused: true, in: World.acme)
            #expect(try world.admin("SELECT mark FROM provider_announcements").count == 1)
        }
    }

    @Test func `keep the first five names for one person and app, whatever comes later`() async throws {
        try await withWorld { world in
            let people = ProviderPersonStore(world.database)
            for turn in UInt8(1)...20 {
                let name = turn == 1 ? "Rita" : "Forged \(turn)"
                let announcement = try await announce(name, as: [turn], world)
                try await people.dismiss(announcement, isRefused: false, in: World.acme)
            }
            let waiting =
                "SELECT form_given_name FROM provider_announcements WHERE team_id = $1 ORDER BY mark"
            let five = [["Rita"], ["Forged 2"], ["Forged 3"], ["Forged 4"], ["Forged 5"]]
            #expect(try world.admin(waiting, World.acme.rawValue) == five)

            // Another try of the first is the first still.
            _ = try await announce("Rita", as: [1], world)
            #expect(try world.admin(waiting, World.acme.rawValue) == five)
            _ = try await announce("Mara", as: [1], in: World.rival, world)
            #expect(try world.admin(waiting, World.rival.rawValue) == [["Mara"]])
            let elsewhere = ProviderAnnouncement(
                arrival(called: "Lena", to: World.otherApp),
                as: [99],
                heldUntil: World.noon + .seconds(30)
            )
            _ = try await people.announce(elsewhere, in: World.acme)
            #expect(try world.admin(waiting, World.acme.rawValue) == five + [["Lena"]])
        }
    }

    @Test func `V46: keep five names for one person and app, of fifty at once`() async throws {
        try await withWorld { world in
            _ = try await inParallel(50) { number in
                _ = try await announce("Forged \(number)", as: [UInt8(number)], world)
            }
            let names = "SELECT FROM provider_announcements WHERE form_given_name IS NOT NULL"
            #expect(try world.admin(names).count == ProviderAnnouncement.mostNames)
            #expect(try world.admin("SELECT FROM provider_announcements").count == 50)
        }
    }

    @Test func `let in one more than the names that wait, with their name`() async throws {
        try await withWorld { world in
            try world.addApp(World.app)
            let people = ProviderPersonStore(world.database)
            for turn in UInt8(1)...5 { _ = try await announce("Forged \(turn)", as: [turn], world) }
            let announcement = try await announce("Rita", as: [6], world)
            let nameless = "SELECT count(*) FROM provider_announcements WHERE form_given_name IS NULL"
            #expect(try world.admin(nameless) == [["1"]])

            let recorded = try await people.record(
                arrival(called: "Rita"),
                announcedBy: announcement,
                in: World.acme
            )

            guard case .known(let known) = recorded else {
                Issue.record("not let in")
                return
            }
            #expect(known.consent?.name?.given == "Rita")
            #expect(try world.admin(nameless) == [["0"]])
        }
    }

    @Test func `wait for a year, and for an hour without a name`() async throws {
        try await withWorld { world in
            _ = try await announce("Rita", world)
            _ = try await announce("Mara", as: [2], world)
            try world.admin("UPDATE provider_announcements SET form_given_name = NULL WHERE mark = '\\x02'")
            let left = "SELECT form_given_name FROM provider_announcements"
            for (age, names) in [("2 hours", [["Rita"]]), ("366 days", [])] {
                try world.admin(
                    "UPDATE provider_announcements SET held_until = now() - $1::text::interval",
                    age
                )
                try world.admin("SELECT pippin_purge_provider_announcements(10)")
                #expect(try world.admin(left) == names)
            }
        }
    }
}
