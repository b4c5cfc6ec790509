import Platform
import Testing

@testable import Console

@Suite(.environment) struct `Notifications in the console` {
    private static let list = "/console/ACMETEAM01/notifications"
    private static let url = "https://acme.example/notices"

    private func register() async throws {
        _ = try await environment.addAcmeWeb()
        try environment.setNotificationURL(Self.url)
    }

    private func test(_ browser: inout Browser, _ type: String = "email-enabled") async throws -> Browser.Answer {
        try await browser.post(Self.list, [("appID", "com.acme.app"), ("testType", type)])
    }

    @Test func `a test event is sent about nobody, and its page shows what came back`() async throws {
        try await register()
        var owner = try await environment.signedIn("Ada", [TeamID.acme: .owner])
        let page = try #require(try await test(&owner).location)
        #expect(try await owner.get(page).text.contains("None yet."))
        try environment.admin(
            """
            INSERT INTO delivery_attempts (team_id, notification_id, number, url, status, milliseconds, excerpt)
            SELECT team_id, notification_id, 1, $1, 500, 42, '<b>oops</b>' FROM notifications
            """, Self.url)
        try environment.admin("UPDATE notifications SET state = 'dead', settled_at = now(), attempts = 1")

        let text = try await owner.get(page).text
        #expect(text.contains("Failed") && text.contains("Status 500") && text.contains("42 ms"))
        #expect(text.contains("&lt;b&gt;oops&lt;/b&gt;") && !text.contains("<b>oops</b>"))
        #expect(text.contains("000000.00000000000000000000000000000000.0000"))
        #expect(try environment.allActions(in: .acme).last == "notification.tested")
    }

    @Test func `one that failed says how often, and when it is sent again`() async throws {
        try await register()
        var owner = try await environment.signedIn("Ada", [TeamID.acme: .owner])
        let page = try #require(try await test(&owner).location)
        #expect(try await !owner.get(page).text.contains("next try"))

        try environment.admin("UPDATE notifications SET attempts = 3")
        try environment.admin("UPDATE jobs SET attempts = 3, due_at = '2030-01-02 03:04:05Z'")
        for path in [page, Self.list] {
            let text = try await owner.get(path).text
            #expect(text.contains("Failed 3 times, next try"), "\(path)")
            #expect(text.contains("2030-01-02T03:04:05"), "\(path)")
        }
        try environment.admin("UPDATE jobs SET worker = 'somebody', attempts = attempts + 1")
        #expect(try await owner.get(page).text.contains("Failed 3 times, being sent again"))
        try environment.admin("UPDATE notifications SET state = 'delivered', settled_at = now()")
        #expect(try await !owner.get(page).text.contains("Failed 3 times"))
    }

    @Test func `one that is sent again has not failed, and one that nothing is to deliver is not being sent`()
        async throws
    {
        try await register()
        var owner = try await environment.signedIn("Ada", [TeamID.acme: .owner])
        let page = try #require(try await test(&owner).location)
        try environment.admin("UPDATE notifications SET state = 'delivered', settled_at = now(), attempts = 1")
        try environment.admin(
            """
            UPDATE jobs
            SET state = 'succeeded', attempts = 1, finished_at = now(), keep_until = now() + interval '1 day'
            """)
        _ = try await owner.post("\(page)/replays")

        for (sql, absent) in [
            ("SELECT", ["Failed once"]),
            ("UPDATE jobs SET worker = 'somebody', attempts = 1 WHERE state = 'pending'", ["Failed once"]),
            (
                """
                WITH ended AS (
                    UPDATE jobs
                    SET state = 'cancelled', worker = NULL, attempts = 3, finished_at = now(),
                        keep_until = now() + interval '1 day'
                )
                UPDATE notifications SET attempts = 3
                """, ["being sent", "next try"]
            ), ("UPDATE notifications SET job_id = NULL", ["being sent", "next try"]),
        ] {
            try environment.admin(sql)
            for path in [page, Self.list] {
                let text = try await owner.get(path).text
                #expect(text.contains("Waiting") && !absent.contains { text.contains($0) }, "\(sql) \(path)")
            }
        }
    }

    @Test func `one that was given up is sent again, and one that waits is not sent twice`() async throws {
        try await register()
        var owner = try await environment.signedIn("Ada", [TeamID.acme: .owner])
        let page = try #require(try await test(&owner).location)
        #expect(try await owner.follow(try await owner.post("\(page)/replays")).text.contains("anyway"))
        try environment.admin("UPDATE notifications SET state = 'dead'")

        #expect(try await owner.follow(try await owner.post("\(page)/replays")).text.contains("being sent again"))
        #expect(try environment.admin("SELECT state FROM notifications") == [["pending"]])
        #expect(try environment.count("jobs") == 2)
        #expect(try environment.allActions(in: .acme).last == "notification.replayed")
    }

    @Test func `filters narrow the list, stay in the fields and come off one by one`() async throws {
        try await register()
        var owner = try await environment.signedIn("Ada", [TeamID.acme: .owner])
        for type in ["email-enabled", "consent-revoked"] { _ = try await test(&owner, type) }
        try environment.admin("UPDATE notifications SET state = 'delivered' WHERE type = 'consent-revoked'")

        let all = try await owner.get(Self.list).text
        #expect(all.contains("2 notifications"))
        let found = try await owner.get("\(Self.list)?state=delivered&type=consent-revoked").text
        #expect(found.contains("1 notification") && !found.contains("2 notifications"))
        #expect(found.contains("<option value=\"delivered\" selected>"))
        #expect(found.contains("href=\"\(Self.list)?type=consent-revoked\""))
        let none = try await owner.get("\(Self.list)?q=nobody").text
        #expect(none.contains("No notification matches"))
    }

    @Test func `without an address the page says where to enter one`() async throws {
        var owner = try await environment.acmeWeb("Ada", .owner)
        let text = try await owner.get(Self.list).text
        #expect(text.contains("No App ID has a notification URL yet") && !text.contains("Send a test event"))
        #expect(try await test(&owner).status == 404)

        let page = "/console/ACMETEAM01/app-ids/com.acme.app"
        let saved = try await owner.post(
            page, [("version", "1"), ("description", "Acme"), ("signIn", "yes"), ("notificationURL", Self.url)])
        #expect(saved.status == 303)
        #expect(try await owner.get(page).text.contains("value=\"\(Self.url)\""))
        #expect(try await owner.get(Self.list).text.contains("Send a test event"))
    }
}
