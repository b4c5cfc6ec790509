import Crypto
import Directory
import Domain
import Testing

@testable import Console

/// The console asks for a second factor however somebody came in.
@Suite struct `A console that is not on loopback` {
    @Test func `V26: opens for those who run teams with a second factor alone, whatever path they took`()
        async throws
    {
        try await withWorld(sparesRoles: false) { world in
            let demanded = [
                try await world.signedIn("olga", [.system: .operator]),
                try await world.signedIn("ada", [World.acme: .owner]),
                try await world.signedIn("ben", [World.acme: .admin]),
            ]
            var developer = try await world.signedIn("cleo", [World.acme: .developer])

            for var browser in demanded {
                let away = try await browser.get("/console")
                #expect(away.status == 303)
                #expect(away.location?.hasPrefix("/t/PIPPIN0000/account/session?next=") == true)
            }
            let asDeveloper = try await developer.get("/console")
            #expect(asDeveloper.status == 200)
        }
    }

    @Test func `V26: shuts again when the role rises`() async throws {
        try await withWorld(sparesRoles: false) { world in
            var browser = try await world.signedIn("cleo", [World.acme: .developer])
            let before = try await browser.get("/console")

            try world.admin("UPDATE memberships SET role = 'owner'")
            let after = try await browser.get("/console")

            #expect(before.status == 200 && after.status == 303)
        }
    }

    @Test func `opens for a session that was proved by both`() async throws {
        try await withWorld(sparesRoles: false) { world in
            var browser = try await world.signedIn("ada", [World.acme: .owner])
            try world.admin("UPDATE sessions SET second_factor = 'totp'")

            let answer = try await browser.get("/console")

            #expect(answer.status == 200)
        }
    }
}
