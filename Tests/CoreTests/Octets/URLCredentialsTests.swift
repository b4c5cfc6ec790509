import Core
import Testing

@Suite struct `User and password in a URL` {
    @Test(arguments: [
        ("ada:secret@host", "ada", "secret", "host"),
        ("ada%40a.example:p%2Fw@host/db", "ada@a.example", "p/w", "host/db"),
        ("ada@a.example:p/w@host/db", "ada@a.example", "p/w", "host/db"), ("ada:p:w#?@host", "ada", "p:w#?", "host"),
        ("ada:p@w?x@host:5432", "ada", "p@w?x", "host:5432"), ("ada:päß w@[::1]:1", "ada", "päß w", "[::1]:1"),
        ("ada:100%25@host", "ada", "100%", "host"), ("ada:@host", "ada", "", "host"),
    ]) func `are read as they were meant`(text: String, user: String, password: String, rest: String) throws {
        let parts = URLCredentials.split(text[...])
        let credentials = try #require(parts.credentials.flatMap(URLCredentials.init))

        #expect((credentials.user, credentials.password) == (user, password))
        #expect(parts.rest == rest)
        #expect(URLCredentials(credentials.encoded.dropLast()) == credentials)
    }

    @Test(arguments: ["ada:100%@host", "ada:%zz@host", "ada@host", ":secret@host", "ada:a%0Ab@host", "ada:a\nb@host"])
    func `are refused where they could be something else`(text: String) throws {
        #expect(try #require(URLCredentials.split(text[...]).credentials).isReadable == false)
    }

    @Test func `may be missing`() { #expect(URLCredentials.split("host/db").credentials == nil) }
}

extension Substring { fileprivate var isReadable: Bool { URLCredentials(self) != nil } }
