import Crypto
import Platform
import Registry
import Simulator
import Testing

@testable import Console

@Suite(.environment) struct `Connections to Apple in the console` {
    private static let hub = "/console/ACMETEAM01/apple"
    private static let page = "\(hub)/com.acme.app"
    private static let pair = P256SigningKey.generate()

    private static let form = [("appID", "com.acme.app"), ("servicesID", "com.acme.siwa"), ("keyID", "KEY1234567")]

    /// Acme's app, and its key from Apple.
    private func importKey(
        _ browser: inout Browser, id: String = "KEY1234567", of appleTeam: String = Simulator.teamID,
        _ key: P256SigningKey = pair, for app: String = "com.acme.app"
    ) async throws {
        let imported = try await browser.post(
            "/console/ACMETEAM01/apple-keys",
            [("privateKey", key.pem), ("id", id), ("teamID", appleTeam), ("name", "Acme at Apple"), ("appID", app)])
        #expect(imported.status == 303)
    }

    /// An admin of Acme who has connected its app.
    private func connected() async throws -> Browser {
        var admin = try await environment.acmeWeb("Ada", .admin)
        try await importKey(&admin)
        #expect(try await admin.post(Self.hub, Self.form).status == 303)
        return admin
    }

    @Test func `begin with a key, are made, and show what to enter at Apple`() async throws {
        var admin = try await environment.acmeWeb("Ada", .admin)
        let before = try await admin.get("\(Self.hub)/new?app=com.acme.app").text
        #expect(before.contains("A key from Apple comes first"))
        #expect(before.contains("/apple-keys/new?app=com.acme.app"))
        try await importKey(&admin)
        let key = try await admin.get("/console/ACMETEAM01/apple-keys/KEY1234567").text
        #expect(key.contains("/apple/new?app=com.acme.app&amp;key=KEY1234567"))

        let made = try await admin.post(Self.hub, Self.form)

        #expect(made.location == Self.page)
        let text = try await admin.get(Self.page).text
        for value in [
            "\(environment.publicURL)/t/ACMETEAM01/auth/callback/apple",
            "\(environment.publicURL)/t/ACMETEAM01/auth/notifications/apple", "127.0.0.1", "com.acme.siwa",
            "KEY1234567", Simulator.teamID,
        ] { #expect(text.contains("<code>\(value)</code>"), "\(value)") }
        #expect(text.contains("Register the values at the simulator next."))
        #expect(text.contains("href=\"http://apple.localhost/apple\""))
        let hub = try await admin.get(Self.hub).text
        #expect(hub.contains("Not tested") && hub.contains("These connections are not used"))
        #expect(try await admin.get("/console/ACMETEAM01/app-ids/com.acme.app").text.contains(Self.page))
        #expect(try environment.allActions(in: .acme).last == "apple_connection.created")
    }

    @Test func `are refused beside the field, and a second one of an App ID is none`() async throws {
        var admin = try await environment.acmeWeb("Ada", .admin)
        try await importKey(&admin)

        let bundle = Self.form.map { $0.0 == "servicesID" ? ("servicesID", "com.acme.app") : $0 }
        let wrong = try await admin.post(Self.hub, bundle)
        #expect(wrong.status == 422 && wrong.text.contains("id=\"field-servicesID-error\""))
        #expect(try await admin.post(Self.hub, Self.form).status == 303)
        let second = try await admin.post(Self.hub, Self.form)
        #expect(second.status == 422 && second.text.contains("is connected to Apple already"))
        // The key signs for it now.
        let forget = [("confirmation", "KEY1234567"), ("reason", "Rotated"), ("version", "1")]
        let kept = try await admin.post("/console/ACMETEAM01/apple-keys/KEY1234567/deletion", forget)
        #expect(kept.status == 422 && kept.text.contains("Give that connection another key first"))
    }

    @Test func `of two groups never share a Services ID, and no app has its name`() async throws {
        var admin = try await environment.acmeWeb("Ada", .admin)
        try await importKey(&admin)
        let apps = "/console/ACMETEAM01/app-ids"
        let other = [("identifier", "com.acme.other"), ("description", "Other"), ("isEnabled", "on")]
        #expect(try await admin.post(apps, other).status == 303)
        try await importKey(&admin, id: "KEY7654321", .generate(), for: "com.acme.other")
        #expect(try await admin.post(Self.hub, Self.form).status == 303)
        let form = [("appID", "com.acme.other"), ("keyID", "KEY7654321")]

        let shared = try await admin.post(Self.hub, form + [("servicesID", "com.acme.siwa")])
        #expect(shared.status == 422 && shared.text.contains("com.acme.app is connected to Apple under"))
        #expect(shared.text.contains("id=\"field-servicesID-error\""))
        let bundle = try await admin.post(Self.hub, form + [("servicesID", "com.acme.app")])
        #expect(bundle.status == 422 && bundle.text.contains("is the bundle ID of an App ID"))
        let named = other.map { $0.0 == "identifier" ? ($0.0, "com.Acme.siwa") : $0 }
        let app = try await admin.post(apps, named)
        #expect(app.status == 422 && app.text.contains("is the Services ID of a connection to Apple"))
        #expect(try await admin.post(Self.hub, form + [("servicesID", "com.acme.other.siwa")]).status == 303)
    }

    @Test func `speak of every app of their group, those that are switched off too`() async throws {
        _ = try await environment.addAcmeWeb()
        try environment.addApps(1, named: "com.acme.watch")
        try environment.admin(
            """
            UPDATE app_ids SET is_enabled = false, primary_identifier = 'com.acme.app'
            WHERE identifier = 'com.acme.watch1'
            """)
        var admin = try await environment.signedIn("Ada", [TeamID.acme: .admin])
        try await importKey(&admin)
        _ = try await admin.post(Self.hub, Self.form)
        #expect(try await admin.get(Self.page).text.contains("<code>com.acme.watch1</code>"))
    }

    @Test func `are proved by a call as each client, once Apple knows them`() async throws {
        try environment.openAppleSide()
        var admin = try await connected()

        _ = try await admin.post("\(Self.page)/tests", [])
        let refused = try await admin.get(Self.page).text
        #expect(refused.contains("invalid_client") && refused.contains("AuthKey_KEY1234567.p8"))
        // Both clients fail alike: what to look at is said once, and each of them is named.
        #expect(refused.split(separator: "must be the name of the very").count == 2)
        #expect(refused.contains("Apple rejected these 2 clients"))
        #expect(refused.contains("Services ID: com.acme.siwa") && refused.contains("Bundle ID: com.acme.app"))
        #expect(try environment.admin(Self.outcomes) == [["com.acme.app", "refused"], ["com.acme.siwa", "refused"]])

        let registered = try await admin.post("\(Self.page)/simulator", [])
        #expect(registered.location == Self.page)
        _ = try await admin.post("\(Self.page)/tests", [])
        let works = try await admin.get(Self.page).text
        #expect(works.contains("Apple accepts every client of this connection"))
        #expect(
            try environment.admin(Self.outcomes) == [["com.acme.app", "accepted"], ["com.acme.siwa", "accepted"]])
        #expect(try await admin.get(Self.hub).text.contains("Works"))
    }

    @Test func `are not registered at the simulator with a key of another Apple team, which would be refused there`()
        async throws
    {
        try environment.openAppleSide()
        var admin = try await environment.acmeWeb("Ada", .admin)
        try await admin.connectAcme(to: "OTHERTEAM1")

        _ = try await admin.post("\(Self.page)/simulator", [])

        #expect(try await admin.get(Self.page).text.contains("its own team, APPLESIM00"))
        #expect(try environment.admin("SELECT 1 FROM app_ids WHERE team_id = $1", Simulator.teamID).isEmpty)
    }

    @Test func `say what Apple said`() async throws {
        try environment.openAppleSide()
        var admin = try await connected()
        for (fault, outcome) in [(Fault.throttled, "throttled"), (.trouble, "trouble"), (.unknownClient, "refused")] {
            environment.script.set(fault, at: .token, times: 2)

            _ = try await admin.post("\(Self.page)/tests", [])

            #expect(try environment.admin(Self.outcomes) == [["com.acme.app", outcome], ["com.acme.siwa", outcome]])
            let advises = try await admin.get(Self.page).text.contains("AuthKey_KEY1234567.p8")
            #expect(advises == (fault == .unknownClient), "\(fault)")
        }
    }

    @Test func `forget their tests when a value changes`() async throws {
        try environment.openAppleSide()
        var admin = try await connected()
        _ = try await admin.post("\(Self.page)/tests", [])

        let change = [("servicesID", "com.acme.other"), ("keyID", "KEY1234567"), ("version", "1")]
        #expect(try await admin.post(Self.page, change).status == 303)

        #expect(try await admin.get(Self.page).text.contains("have not been tested yet"))
        let late = try await admin.post(Self.page, change)
        #expect(late.status == 409 && late.text.contains(">com.acme.other</td>"))
        let gone = [("confirmation", "com.acme.app"), ("reason", "Moved"), ("version", "2")]
        #expect(try await admin.post("\(Self.page)/deletion", gone).location == Self.hub)
        #expect(try environment.count("apple_connection_tests") == 0)
    }

    @Test func `are only looked at by developers`() async throws {
        try environment.openAppleSide()
        _ = try await connected()
        var developer = try await environment.signedIn("Cleo", [TeamID.acme: .developer])

        for path in ["", "/deletion", "/tests", "/simulator"] {
            #expect(try await developer.post("\(Self.page)\(path)", [("version", "1")]).status == 403)
        }
        #expect(try await developer.get(Self.page).status == 200)
        #expect(try await !developer.get(Self.page).text.contains("Test connection"))
    }

    private static let outcomes = """
        SELECT client_id, outcome FROM apple_connection_tests WHERE team_id = 'ACMETEAM01' ORDER BY 1
        """
}
