import Accounts
import Core
import Registry
import Testing

@Suite struct `A registry file` {
    @Test func `of the documented shape is taken`() {
        #expect(Files.problems(Files.whole) == [])
        #expect(Files.problems("{}") == [])
        #expect(Files.problems(#"{"teams": [{"id": "ACMETEAM01"}]}"#) == [])
    }

    @Test(arguments: [
        ("", 1, 1), ("{", 1, 2), ("[1", 1, 3), ("teams: []", 1, 1), ("\u{0}", 1, 1), (#"{"teams": [}"#, 1, 12),
        ("{\n  \"teams\": [],\n  \"ä\": tru }", 3, 3), ("{}\n{}", 2, 1), ("{\"teams\":\n[\"ää\", tru]}", 2, 8),
    ]) func `S42: that is not JSON is refused with its place`(text: String, line: Int, column: Int) {
        let message = "Line \(line), column \(column): the file is not valid JSON."
        #expect(Files.problems(text).map(\.message) == [.verbatim(message)])
    }

    @Test func `may begin with a byte order mark, and is named when it is UTF-16`() {
        #expect(Files.problems("\u{FEFF}" + Files.whole) == [])
        #expect(
            Files.problems("\u{FEFF}{").map(\.message) == [.verbatim("Line 1, column 2: the file is not valid JSON.")])
        let units = Array("{}".utf16)
        let little = units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        let big = units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        for octets in [[0xFF, 0xFE] + little, [0xFE, 0xFF] + big, little, big] {
            do throws(FieldErrors) {
                _ = try RegistryFile(parsing: octets) { _ in throw Installation.Missing() }
                Issue.record("\(octets) was taken")
            } catch { #expect(error.all.map(\.message) == [.verbatim("The file is in UTF-16. Save it as UTF-8.")]) }
        }
    }

    @Test func `S42: that has a member twice is refused, and says where the second one is`() {
        let text = """
            {"teams": [{
                "id": "ACMETEAM01",
                "mode": "sandbox",
                "mode": "production"
            }]}
            """
        // Written otherwise, it is the same member.
        for text in [text, text.replacing("    \"mode\": \"production\"", with: #"    "m\u006fde": 1"#)] {
            let problems = Files.problems(text)
            #expect(problems.contains { "\($0.message)".contains("a second time") })
            #expect(Files.places(text).contains("line 4, column 5: teams[0].mode"))
        }
    }

    @Test func `is told all its faults at once, in its order and with their places`() {
        let text = """
            {"teams": [
                {
                    "id": "ACMETEAM01", "colour": "red", "mode": 7, "mode": "sandbox",
                    "users": [
                        {"email": "ä@b.example", "admin": true}, 7,
                        {"givenName": ["A"]}
                    ],
                    "keys": {}, "appIDs": [{"serviceIDs": "none", "signIn": "yes", "identifier": "a.b"}]
                }
            ], "team": []}
            """
        #expect(
            Files.places(text) == [
                "line 3, column 29: teams[0].colour", "line 3, column 57: teams[0].mode",
                "line 5, column 38: teams[0].users[0].admin", "line 5, column 54: teams[0].users[1]",
                "line 5, column 54: teams[0].users[1].email", "line 6, column 13: teams[0].users[2].email",
                "line 6, column 14: teams[0].users[2].givenName", "line 8, column 9: teams[0].keys",
                "line 8, column 33: teams[0].appIDs[0].serviceIDs", "line 8, column 55: teams[0].appIDs[0].signIn",
                "line 10, column 4: team",
            ])
    }

    @Test func `on one line, or cut off, is told where`() throws {
        let text = Files.whole.split(separator: "\n").joined()
        #expect(Files.problems(text) == [])
        // Cut off anywhere it is no registry file, and the fault is where it ends.
        for length in stride(from: 1, to: text.utf8.count, by: 7) {
            let cut = String(decoding: Array(text.utf8.prefix(length)), as: UTF8.self)
            let problems = Files.problems(cut)
            #expect(problems.count == 1 && "\(problems)".contains("Line 1, column "), "\(cut.suffix(20))")
        }
    }

    @Test func `S42: that is too deep or too wide is refused with its place`() {
        let deep = "{\"teams\":\n" + String(repeating: "[", count: 50_000)
        #expect(
            Files.problems(deep).map(\.message) == [
                .verbatim("Line 2, column 15: the file is nested more deeply than any registry is.")
            ])
        let wide = "{\"teams\":\n[{\"keys\": [" + String(repeating: "1,", count: 300_000) + "1]}]}"
        #expect("\(Files.problems(wide).map(\.message))".contains("the file holds more values than any registry does."))
        // Of endless faults the first thousand are enough.
        #expect(Files.problems("{\"teams\":\n[" + String(repeating: "1,", count: 5_000) + "1]}").count == 1_000)
    }

    @Test(arguments: ["/etc/shadow", "../key.p8", "keys/../../key.p8", "..", "/", "", "a\\u0000b"])
    func `S22: names no key file outside its folder`(name: String) {
        let text = """
            {"teams": [{"id": "ACMETEAM01", "appIDs": [
                {"identifier": "a.b", "apple": {"privateKeyFile": "\(name)"}}
            ]}]}
            """
        var read: [String] = []
        do throws(FieldErrors) {
            _ = try RegistryFile(parsing: Array(text.utf8)) { name in
                read.append(name)
                return Array("-----BEGIN PRIVATE KEY-----".utf8)
            }
            Issue.record("\(name) was taken")
        } catch {
            #expect(
                error.all.map(\.path.description) == ["teams[0].appIDs[0].apple.privateKeyFile"]
                    || name.contains("u0000"))
        }
        #expect(read.isEmpty)
    }

    @Test(arguments: ["key.p8", "keys/key.p8", "./key.p8", "..key.p8"])
    func `S22: names key files in its folder and below it`(name: String) {
        let text = """
            {"teams": [{"id": "ACMETEAM01", "appIDs": [
                {"identifier": "a.b", "apple": {"privateKeyFile": "\(name)"}}
            ]}]}
            """
        #expect(Files.problems(text) == [])
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
            Set(Files.problems(text).map(\.path.description)) == [
                "team", "teams[0].colour", "teams[0].appIDs[0].serviceIDs[0].redirectURIs",
                "teams[0].appIDs[0].serviceIDs[0].pkce", "teams[0].keys[0].private", "teams[0].emailSources[0].spf",
                "teams[0].users[0].admin",
            ])
        #expect(Files.problems(text).allSatisfy { "\($0.message)".contains("Unknown member") })
    }

    @Test(arguments: [
        (#"[]"#, ""), (#"{"teams": {}}"#, "teams"), (#"{"teams": [1]}"#, "teams[0]"),
        (#"{"teams": [{"id": 1}]}"#, "teams[0].id"), (#"{"teams": [{"id": null}]}"#, "teams[0].id"),
        (#"{"teams": [{"id": "A", "identitySources": ["directory", 2]}]}"#, "teams[0].identitySources[1]"),
        (#"{"teams": [{"id": "A", "users": [{"email": "a", "password": 12345678}]}]}"#, "teams[0].users[0].password"),
        (
            #"{"teams": [{"id": "A", "appIDs": [{"identifier": "a", "serviceIDs": [{"identifier": "b", "requirePKCE": "yes"}]}]}]}"#,
            "teams[0].appIDs[0].serviceIDs[0].requirePKCE"
        ),
    ]) func `with a value of the wrong kind is refused there`(text: String, field: String) {
        #expect(Files.problems(text).map(\.path.description).contains(field))
    }

    @Test func `without the names of its things is refused`() {
        let text = #"{"teams": [{"appIDs": [{}], "keys": [{}], "emailSources": [{}], "users": [{}]}]}"#

        #expect(
            Files.problems(text).map(\.path.description).sorted() == [
                "teams[0].appIDs[0].identifier", "teams[0].emailSources[0].domain", "teams[0].id",
                "teams[0].keys[0].id", "teams[0].users[0].email",
            ])
    }

    @Test func `names public keys by file`() throws {
        let text = Files.team(
            #""keys": [{"id": "ACMEKEY001", "appID": "com.acme.app", "publicKeyFile": "keys/ci.pem"}]"#)

        let file = try RegistryFile(parsing: Array(text.utf8)) { path in
            #expect(path == "keys/ci.pem")
            return Array(Files.publicKey.utf8)
        }

        #expect(file.teams.first?.keys?.first?.publicKeyPEM == Files.publicKey)
        #expect(Files.problems(text).map(\.path.description) == ["teams[0].keys[0].publicKeyFile"])
        let both = Files.team(#""keys": [{"id": "ACMEKEY001", "publicKeyPEM": "x", "publicKeyFile": "y"}]"#)
        #expect(Files.problems(both).map(\.path.description) == ["teams[0].keys[0].publicKeyFile"])
    }
}
