import Accounts
import Core
import Registry
import Templates
import Testing

@Suite(.acme) struct `Groups of App IDs in a registry file` {
    private static let grouped = Files.team(
        """
        "appIDs": [
            {"identifier": "com.acme.watch", "primary": "com.acme.app", "signIn": false},
            {"identifier": "com.acme.app"}
        ]
        """)

    @Test func `are made whatever their order, and exported again`() async throws {
        #expect(try await pippin.apply(Self.grouped).outcome == .applied)
        let text = try await pippin.export()

        #expect(text.contains(#""primary" : "com.acme.app""#) && text.contains(#""signIn" : false"#))
        #expect(try await pippin.apply(text).outcome == .unchanged)
        try await Installation.with { other in
            let report = try await other.apply(text)

            #expect(report.outcome == .applied)
            #expect(try await other.export() == text)
        }
    }

    @Test func `are left by an empty name, and left alone by none`() async throws {
        try await pippin.apply(Self.grouped)
        let silent = Files.team(#""appIDs": [{"identifier": "com.acme.watch"}]"#)
        let leaving = Files.team(#""appIDs": [{"identifier": "com.acme.watch", "primary": ""}]"#)

        #expect(try await pippin.apply(silent).outcome == .unchanged)
        #expect(try await pippin.apply(leaving).outcome == .applied)
        #expect(try await pippin.export().contains(#""primary" : """#))
    }

    @Test func `that the console refuses are refused`() async throws {
        for (apps, reason) in [
            (#"{"identifier": "com.acme.watch", "primary": "com.acme.nobody"}"#, "has no App ID com.acme.nobody"),
            (#"{"identifier": "com.acme.watch", "primary": "com.acme.watch"}"#, "under itself"),
            (
                #"{"identifier": "com.acme.a", "primary": "com.acme.b"}, {"identifier": "com.acme.b", "primary": "com.acme.c"}, {"identifier": "com.acme.c"}"#,
                "com.acme.b is grouped under com.acme.c"
            ),
        ] {
            let problems = try await pippin.apply(Files.team("\"appIDs\": [\(apps)]")).problems
            let root = "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
            let texts = try Translations(folder: root + "/Texts")
            #expect(
                problems.contains {
                    $0.path.description.hasSuffix("primary") && texts.text($0.message).contains(reason)
                }, "\(problems)")
        }
    }
}
