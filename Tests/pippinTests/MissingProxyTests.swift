import Core
import TestSupport
import Testing

@testable import pippin

/// Where users can come by a proxy alone, it has to be named: else all of them count as one address.
@Suite struct MissingProxyTests {
    private static let name = "--public-url=https://id.example.com"

    /// What the start of a worker says of its proxy.
    private func warnings(_ arguments: String...) throws -> [String] {
        let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        var options = Options(arguments + ["--resources=\(root)"])
        let read = Settings(&options)
        let settings = try #require(read, "\(options.problems)")
        let lines = Notes()
        settings.warnOfMissingProxy(Log(threshold: .info) { lines.note(line: $0) })
        return lines.all
    }

    @Test(arguments: ["127.0.0.1:8080", "[::1]:8080"])
    func `a proxy that was not named is warned of, with the option that mends it`(listen: String) throws {
        let lines = try warnings("--listen=\(listen)", Self.name)
        #expect(lines.count == 1)
        #expect(lines.allSatisfy { $0.contains("proxy.undeclared") && $0.contains("--trusted-proxy") })
    }

    @Test func `there is no warning where it is named, or where clients connect by themselves`() throws {
        #expect(try warnings("--listen=127.0.0.1:8080", Self.name, "--trusted-proxy=127.0.0.1/32").isEmpty)
        #expect(try warnings("--listen=0.0.0.0:8080", Self.name).isEmpty)
        #expect(try warnings("--listen=127.0.0.1:8080", "--public-url=http://localhost:8080").isEmpty)
    }
}
