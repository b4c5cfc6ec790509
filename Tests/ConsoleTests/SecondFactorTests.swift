import Platform
import Testing

/// The console asks for a second factor however somebody came in.
@Suite(.environment(sparesRoles: false)) struct `A console that is not on loopback` {
    @Test func `V26: opens for those who run teams with a second factor alone, whatever path they took`() async throws {
        let demanded = [
            try await environment.signedIn("olga", [.system: .operator]),
            try await environment.signedIn("ada", [TeamID.acme: .owner]),
            try await environment.signedIn("ben", [TeamID.acme: .admin]),
        ]
        var developer = try await environment.signedIn("cleo", [TeamID.acme: .developer])

        for var browser in demanded {
            let away = try await browser.get("/console")
            #expect(away.status == 303)
            #expect(away.location?.hasPrefix("/t/PIPPIN0000/account/session?next=") == true)
        }
        let asDeveloper = try await developer.get("/console")
        #expect(asDeveloper.status == 200)
    }

    @Test func `V26: shuts again when the role rises`() async throws {
        var browser = try await environment.signedIn("cleo", [TeamID.acme: .developer])
        let before = try await browser.get("/console")

        try environment.admin("UPDATE memberships SET role = 'owner'")
        let after = try await browser.get("/console")

        #expect(before.status == 200 && after.status == 303)
    }

    @Test func `opens for a session that was proved by both`() async throws {
        var browser = try await environment.signedIn("ada", [TeamID.acme: .owner])
        try environment.admin("UPDATE sessions SET second_factor = 'totp'")

        let answer = try await browser.get("/console")

        #expect(answer.status == 200)
    }
}
