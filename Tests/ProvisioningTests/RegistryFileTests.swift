import Bytes
import Provisioning
import Registry
import Testing

@Suite struct `A registry file` {
    private static func problems(_ text: String) -> [Problem] {
        do throws(Problems) {
            _ = try RegistryFile(parsing: Array(text.utf8)) { _ in throw Installation.Missing() }
            return []
        } catch {
            return error.all
        }
    }

    @Test func `of the documented shape is taken`() {
        #expect(Self.problems(Files.whole) == [])
        #expect(Self.problems("{}") == [])
        #expect(Self.problems(#"{"teams": [{"id": "ACMETEAM01"}]}"#) == [])
    }

    @Test(arguments: ["", "{", "[1", "teams: []", "\u{0}", #"{"teams": [}"#])
    func `that is not JSON is refused`(text: String) {
        #expect(Self.problems(text).map(\.message) == [.verbatim("The file is not valid JSON.")])
    }

    @Test func `nested without end is refused before it is parsed`() {
        let deep = String(repeating: "[", count: 50_000)

        #expect(Self.problems(deep).count == 1)
    }

    @Test func `is told every unknown member by its path`() {
        let text = """
            {"team": [], "teams": [{
                "id": "ACMETEAM01", "colour": "red",
                "appIDs": [{"identifier": "a.b", "serviceIDs": [{"identifier": "a.c", "redirectURIs": [], "pkce": true}]}],
                "keys": [{"id": "ACMEKEY001", "private": ""}], "emailSources": [{"domain": "a.b", "spf": 1}],
                "users": [{"email": "a@b.example", "admin": true}]
            }]}
            """

        #expect(
            Set(Self.problems(text).map(\.field)) == [
                "team", "teams[0].colour", "teams[0].appIDs[0].serviceIDs[0].redirectURIs",
                "teams[0].appIDs[0].serviceIDs[0].pkce", "teams[0].keys[0].private",
                "teams[0].emailSources[0].spf",
                "teams[0].users[0].admin",
            ]
        )
        #expect(Self.problems(text).allSatisfy { "\($0.message)".contains("unknown") })
    }

    @Test(arguments: [
        (#"[]"#, ""), (#"{"teams": {}}"#, "teams"), (#"{"teams": [1]}"#, "teams[0]"),
        (#"{"teams": [{"id": 1}]}"#, "teams[0].id"), (#"{"teams": [{"id": null}]}"#, "teams[0].id"),
        (#"{"teams": [{"id": "A", "identitySources": ["directory", 2]}]}"#, "teams[0].identitySources[1]"),
        (
            #"{"teams": [{"id": "A", "users": [{"email": "a", "password": 12345678}]}]}"#,
            "teams[0].users[0].password"
        ),
        (
            #"{"teams": [{"id": "A", "appIDs": [{"identifier": "a", "serviceIDs": [{"identifier": "b", "requirePKCE": "yes"}]}]}]}"#,
            "teams[0].appIDs[0].serviceIDs[0].requirePKCE"
        ),
    ])
    func `with a value of the wrong kind is refused there`(text: String, field: String) {
        #expect(Self.problems(text).map(\.field).contains(field))
    }

    @Test func `without the names of its things is refused`() {
        let text = #"{"teams": [{"appIDs": [{}], "keys": [{}], "emailSources": [{}], "users": [{}]}]}"#

        #expect(
            Self.problems(text).map(\.field).sorted() == [
                "teams[0].appIDs[0].identifier", "teams[0].emailSources[0].domain", "teams[0].id",
                "teams[0].keys[0].id", "teams[0].users[0].email",
            ]
        )
    }

    @Test func `names public keys by file`() throws {
        let text = Files.team(
            #""keys": [{"id": "ACMEKEY001", "appID": "com.acme.app", "publicKeyFile": "keys/ci.pem"}]"#
        )

        let file = try RegistryFile(parsing: Array(text.utf8)) { path in
            #expect(path == "keys/ci.pem")
            return Array(Files.publicKey.utf8)
        }

        #expect(file.teams.first?.keys?.first?.publicKeyPEM == Files.publicKey)
        #expect(Self.problems(text).map(\.field) == ["teams[0].keys[0].publicKeyFile"])
        let both = Files.team(#""keys": [{"id": "ACMEKEY001", "publicKeyPEM": "x", "publicKeyFile": "y"}]"#)
        #expect(Self.problems(both).map(\.field) == ["teams[0].keys[0].publicKeyFile"])
    }
}
