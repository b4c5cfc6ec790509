import Directory
import Domain
import Testing

@testable import Console

@Suite struct `Uploads of logos` {
    private func upload(_ number: Int, to team: String, in browser: inout Browser) async throws -> Browser.Answer {
        let head = "--form\r\nContent-Disposition: form-data; name="
        let picture: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, UInt8(number)]
        let token = "\(head)\"csrf\"\r\n\r\n\(browser.formToken)\r\n"
        let file = "\(head)\"logo\"; filename=\"logo.png\"\r\nContent-Type: image/png\r\n\r\n"
        return try await browser.send(
            "POST", "/console/\(team)/settings/logo",
            fields: [
                ("Content-Type", "multipart/form-data; boundary=form"), ("Origin", browser.environment.publicURL),
            ], body: Array(token.utf8) + Array(file.utf8) + picture + Array("\r\n--form--\r\n".utf8))
    }

    @Test func `V55: are limited per team, and another team goes on`() async throws {
        try await withEnvironment { environment in
            var owner = try await environment.signedIn("Ada", [TeamID.acme: .owner])
            var other = try await environment.signedIn("Ben", [TeamID.rival: .owner])
            let uploads = TeamWorkLimit.logos(LimitStore(environment.parts.database)).count
            var statuses: [Int] = []
            for number in 0...uploads {
                let answer = try await upload(number, to: "ACMETEAM01", in: &owner)
                statuses.append(answer.status)
                if answer.status == 429 {
                    #expect(answer["retry-after"].flatMap { Int($0) }.map { (1...600).contains($0) } == true)
                    #expect(answer.text.contains("20 times in ten minutes"))
                }
            }

            #expect(statuses == Array(repeating: 303, count: uploads) + [429])
            let rival = try await upload(0, to: "RIVALTEAM1", in: &other)
            #expect(rival.status == 303)
        }
    }
}
