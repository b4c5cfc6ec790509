import Core
import OAuth
import Platform
import TestSupport
import Testing

@testable import Directory
@testable import Federation

/// Whom a native app announces, while nobody knows whether they are here.
@Suite struct UpstreamAnnouncementTests {
    private static let person = Subject(hexadecimal: "a1")
    private static let later = Timestamp.noon + .seconds(60)

    private func arrival(at moment: Timestamp = .noon, called name: String? = nil, to app: ClientID = .app)
        -> UpstreamLogin
    {
        let identity = UpstreamIdentity(
            identifier: Self.person, email: nil, transferSubject: nil, realUserStatus: nil, authenticatedAt: moment)
        return UpstreamLogin(
            identity, from: .apple,
            form: name.map { UpstreamForm(givenName: $0, familyName: "", email: nil, from: .app) }, primaryAppID: app,
            asking: .all, origin: .test, at: moment, provedBy: .now(for: app))
    }

    private func announce(
        _ name: String, as hash: [UInt8] = [1], in team: TeamID = .acme, _ environment: TestEnvironment
    ) async throws -> UpstreamAnnouncement {
        let announcement = UpstreamAnnouncement(
            arrival(called: name), as: hash, heldUntil: Timestamp.noon + .seconds(30))
        try await environment.identities.announce(announcement, in: team)
        return announcement
    }

    @Test func `P17: are nobody before, and come with the name that waited`() async throws {
        try await withEnvironment { environment in
            try environment.addApp(ClientID.app)
            _ = try await announce("Rita", environment)
            #expect(try environment.admin("SELECT FROM users WHERE sub = $1", Self.person.rawValue).isEmpty)

            let known = try await environment.identities.record(arrival(at: Self.later), in: .acme)
            let again = try await environment.identities.record(arrival(at: Self.later), in: .acme)
            #expect(known.user.subject == Self.person)
            #expect(again.consent?.name?.given == "Rita" && again.consent?.deliveredAt == nil)
            #expect(try environment.admin("SELECT FROM upstream_announcements").isEmpty)
        }
    }

    @Test func `wait for no other team's person, and for no other group of apps`() async throws {
        try await withEnvironment { environment in
            for app in [ClientID.app, ClientID.otherApp] { try environment.addApp(app) }
            try environment.addApp(ClientID.app, to: .rival)
            let announcement = try await announce("Rita", environment)

            _ = try await environment.identities.record(arrival(at: Self.later), in: .rival)
            _ = try await environment.identities.record(arrival(at: Self.later, to: .otherApp), in: .acme)
            try await environment.identities.dismiss(announcement, isRefused: true, in: .rival)
            await #expect(throws: UpstreamFailure.unlinked, "another team's") {
                try await environment.identities.record(arrival(called: "Rita"), announcedBy: announcement, in: .rival)
            }
            try await environment.database.query(UpstreamAnnouncement.removal(of: Self.person, in: .rival), in: .rival)

            let waiting = "SELECT form_given_name FROM upstream_announcements WHERE team_id = 'ACMETEAM01'"
            #expect(try environment.admin(waiting) == [["Rita"]])
            let names = "SELECT DISTINCT form_given_name FROM upstream_identities"
            #expect(try environment.admin(names) == [[""]])
        }
    }

    @Test func `are gone once refused, unless an earlier try may have been good`() async throws {
        try await withEnvironment { environment in
            let first = try await announce("Rita", environment)
            try await environment.identities.dismiss(first, isRefused: true, in: .acme)
            #expect(try environment.admin("SELECT FROM upstream_announcements").isEmpty)

            try await environment.identities.dismiss(
                try await announce("Rita", environment), isRefused: false, in: .acme)
            try await environment.identities.dismiss(
                try await announce("Rita", environment), isRefused: true, in: .acme)
            #expect(try environment.admin("SELECT announcement_hash FROM upstream_announcements").count == 1)
        }
    }

    @Test func `P17: keep the first five names for one person and app, whatever comes later`() async throws {
        try await withEnvironment { environment in
            for turn in UInt8(1)...20 {
                let name = turn == 1 ? "Rita" : "Forged \(turn)"
                let announcement = try await announce(name, as: [turn], environment)
                try await environment.identities.dismiss(announcement, isRefused: false, in: .acme)
            }
            let waiting =
                "SELECT form_given_name FROM upstream_announcements WHERE team_id = $1 ORDER BY announcement_hash"
            let five = [["Rita"], ["Forged 2"], ["Forged 3"], ["Forged 4"], ["Forged 5"]]
            #expect(try environment.admin(waiting, TeamID.acme.rawValue) == five)

            // Another try of the first is the first still.
            _ = try await announce("Rita", as: [1], environment)
            #expect(try environment.admin(waiting, TeamID.acme.rawValue) == five)
            _ = try await announce("Mara", as: [1], in: .rival, environment)
            #expect(try environment.admin(waiting, TeamID.rival.rawValue) == [["Mara"]])
            let elsewhere = UpstreamAnnouncement(
                arrival(called: "Lena", to: .otherApp), as: [99], heldUntil: Timestamp.noon + .seconds(30))
            try await environment.identities.announce(elsewhere, in: .acme)
            #expect(try environment.admin(waiting, TeamID.acme.rawValue) == five + [["Lena"]])
        }
    }

    @Test func `V46: keep five names for one person and app, of fifty at once`() async throws {
        try await withEnvironment { environment in
            _ = try await race(50) { number in
                _ = try await announce("Forged \(number)", as: [UInt8(number)], environment)
            }
            let names = "SELECT FROM upstream_announcements WHERE form_given_name IS NOT NULL"
            #expect(try environment.admin(names).count == Quota.announcedNames.count)
            #expect(try environment.admin("SELECT FROM upstream_announcements").count == 50)
        }
    }

    @Test func `let in one more than the names that wait, with their name`() async throws {
        try await withEnvironment { environment in
            try environment.addApp(ClientID.app)
            for turn in UInt8(1)...5 { _ = try await announce("Forged \(turn)", as: [turn], environment) }
            let announcement = try await announce("Rita", as: [6], environment)
            let nameless = "SELECT count(*) FROM upstream_announcements WHERE form_given_name IS NULL"
            #expect(try environment.admin(nameless) == [["1"]])

            let known = try await environment.identities.record(
                arrival(called: "Rita"), announcedBy: announcement, in: .acme)

            #expect(known.consent?.name?.given == "Rita")
            #expect(try environment.admin(nameless) == [["0"]])
        }
    }
}
