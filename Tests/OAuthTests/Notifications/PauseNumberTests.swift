import HTTP
import TestNumbers
import Testing

@testable import TestTeams

/// Security case V39: the pause that an app's server asks for.
@Suite struct PauseNumberTests {
    @Test func `V39: a notification is told again within a day, whatever number its server answers`() async throws {
        try await withAppServer { app in
            try app.register()
            try await app.engine.revoke(try await app.engine.tokens().refreshToken)
            // Those that are a pause, or none that can be read.
            let numbers = BoundaryNumber.texts.filter { (Int($0) ?? 61) > 60 && $0.utf8.allSatisfy { $0 < 0x80 } }
            for number in numbers.prefix(6) + ["9223372036854775808", "1e308", "NaN", "", "1;"] {
                answer(number, of: app)
                let known = try app.attempts().count
                // Late in the row, so that the pause is long where the server names none.
                try app.engine.teams.admin("UPDATE jobs SET due_at = now(), attempts = 10")
                try await app.work { try app.attempts().count > known }
                let due = try app.engine.teams.admin(
                    "SELECT state, due_at BETWEEN now() AND now() + interval '25 hours' FROM jobs")
                #expect(due == [["pending", "t"]], "\(number)")
            }
            // Without a pause it is told again at once.
            answer("-9223372036854775808", of: app)
            try app.engine.teams.admin("UPDATE jobs SET due_at = now(), attempts = 10")
            try await app.work { try app.states() == ["delivered"] }
        }
    }

    private func answer(_ number: String, of app: AppServer) {
        var answer = Response(.serviceUnavailable)
        answer.append(.retryAfter, number)
        app.inbox.answer(answer)
    }
}
