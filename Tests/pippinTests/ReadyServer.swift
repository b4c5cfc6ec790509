import Core
import EventLoop
import Postgres
import TestDatabase
import TestSupport
import Testing

@testable import HTTP
@testable import Platform
@testable import pippin

private let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")

/// A server of one loop, and what it logs of its readiness.
// @unchecked Sendable: a test uses it from one task at a time.
final class ReadyServer: @unchecked Sendable {
    let process: ServerProcess
    let conninfo: String
    let port: UInt16
    private let notes: Notes
    private var isClosed = false

    init(
        _ conninfo: String, _ access: Installation.Access = .making, of resources: String = root,
        at publicURL: String = "http://localhost:1", with arguments: [String] = []
    ) throws {
        self.conninfo = conninfo
        let socket = try Listener.open(try #require(IPAddress("127.0.0.1")), 0, count: 1)[0]
        port = Listener.port(of: socket)
        var options = Options(
            arguments + [
                "--listen=127.0.0.1:\(port)", "--public-url=\(publicURL)", "--database=\(conninfo)",
                "--data=\(try TestCluster.makeDirectory().path)", "--resources=\(resources)",
            ])
        let read = Settings(&options)
        let settings = try #require(read, "\(options.problems)")
        let notes = Notes()
        self.notes = notes
        process = try ServerProcess(
            try Installation.open(settings, access).0, loops: 1, log: Log(threshold: .info) { notes.note(line: $0) })
        try process.open(on: [socket])
    }

    func close() {
        if !isClosed { process.close() }
        isClosed = true
    }

    /// The code that a load balancer gets.
    var answer: String {
        let text = String(decoding: process.readiness.response.body, as: UTF8.self)
        return String(text.prefix { $0 != ":" && $0 != "\n" })
    }

    func turns(_ code: String) async throws { try await waitUntil("\(code), not \(answer)") { answer == code } }

    func lookOnce() async {
        let (readiness, subjects) = (process.readiness, process.subjects("test"))
        _ = try? await process.loops[0].run { await readiness.lookOnce(subjects) }
    }

    private func events(_ name: String) -> [JSONValue] {
        notes.all.compactMap { try? JSON.decode(JSONValue.self, from: Array($0.utf8)) }.filter {
            $0["event"]?.string == name
        }
    }

    /// The changes that were logged, each as both codes.
    var changes: [String] {
        events("readiness.changed").map { "\($0["from"]?.string ?? "") \($0["to"]?.string ?? "")" }
    }

    var faults: [String] { events("readiness.shape").compactMap { $0["fault"]?.string } }
}

func withServer(_ body: (ReadyServer) async throws -> Void) async throws {
    try await withDatabase { conninfo in try await withServer(conninfo, body) }
}

func withServer(
    _ conninfo: String, at publicURL: String = "http://localhost:1", with arguments: [String] = [],
    _ body: (ReadyServer) async throws -> Void
) async throws {
    let thread = try EventLoop(name: "ready-test")
    try thread.start()
    defer { thread.stop() }
    let server = try await thread.run { try ReadyServer(conninfo, at: publicURL, with: arguments) }
    let result: Result<Void, any Error>
    do { result = .success(try await body(server)) } catch { result = .failure(error) }
    try await thread.run { server.close() }
    try result.get()
}
