import Testing

@testable import pippin

/// URLs of the operator's, with user and password as people write them.
@Suite struct `An option with a URL` {
    private static let resources = "--resources=/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")

    private func problems(_ arguments: String...) -> [String] {
        var options = Options(arguments + [Self.resources])
        _ = Settings(&options)
        return options.problems
    }

    @Test func `of the database is handed to libpq percent-encoded`() throws {
        for (given, expected) in [
            (
                "postgresql://ada@a.example:p/w@host/db?sslmode=require",
                "postgresql://ada%40a.example:p%2Fw@host/db?sslmode=require"
            ), ("postgres://ada:p%40w@h1,h2/db", "postgres://ada:p%40w@h1,h2/db"),
            ("host=/run dbname=a", "host=/run dbname=a"), ("postgresql://ada@host/db", "postgresql://ada@host/db"),
            ("postgresql:///db?user=a@b", "postgresql:///db?user=a@b"),
            ("postgresql://h:5432/db?user=a@b&password=s@c", "postgresql://h:5432/db?user=a@b&password=s@c"),
            ("postgresql://ada:s@c?w@h/db", "postgresql://ada:s%40c%3Fw@h/db"),
            (
                "postgresql://ada:1/2@h:1,[::1]:2/db?application_name=y@z",
                "postgresql://ada:1%2F2@h:1,[::1]:2/db?application_name=y@z"
            ),
        ] {
            var options = Options(["--database", given, Self.resources])
            guard let settings = Settings(&options), case .url(let url) = settings.storage else {
                Issue.record("\(given): \(options.problems)")
                continue
            }
            #expect(url == expected)
        }
    }

    @Test(arguments: [
        ("--database", "postgresql://ada:100%@host/db"), ("--smtp", "smtp://ada:100%@host"),
        ("--outgoing-proxy", "http://ada:100%@host:3128"),
    ]) func `says which character to percent-encode, and not the password`(option: String, url: String) {
        #expect(
            problems(option, url) == [
                "\(option) has a user or password with a % that begins no escape: write it as %25"
            ])
    }
}
