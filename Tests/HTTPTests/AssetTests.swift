import Glibc
import TestNumbers
import TestSupport
import Testing

@testable import HTTP

@Suite struct `Asset files` {
    /// A folder with those files, for the length of `body`.
    private func withFolder(_ files: [String: [UInt8]], _ body: (TemporaryFolder) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        for (name, content) in files { try folder.write(bytes: content, to: name) }
        try await body(folder)
    }

    /// A server of such files, with the link of `pippin.css`, which is one of them.
    private func withAssets(
        _ files: [String: [UInt8]], _ body: (TestServer, Assets, _ link: String) async throws -> Void
    ) async throws {
        try await withFolder(files) { folder in
            let assets = try Assets(folder: folder.path)
            let link = try #require(assets.link("pippin.css"))
            try await withServer {
                assets.declare(in: &$0)
            } _: { server async throws in
                try await body(server, assets, link)
            }
        }
    }

    private let style = Array(String(repeating: "body { color: black }\n", count: 40).utf8)

    @Test func `a file is served under the hash of its content, for ever`() async throws {
        try await withAssets(["pippin.css": style, "icons/key.svg": Array("<svg/>".utf8)]) {
            server, assets, link async throws in
            let answer = try server.get(link)
            #expect(answer.body.utf8.elementsEqual(style))
            #expect(answer["content-type"] == "text/css; charset=utf-8")
            #expect(answer["cache-control"] == "public, max-age=31536000, immutable")
            #expect(answer["vary"] == "Accept-Encoding")
            #expect(answer["content-encoding"] == nil)
            #expect(try server.get(try #require(assets.link("icons/key.svg"))).body == "<svg/>")
            #expect(try server.get("/assets/pippin.css").status == 404)
            #expect(link.hasPrefix("/assets/pippin-") && link.hasSuffix(".css"))
            #expect(link.utf8.count == "/assets/pippin-.css".utf8.count + 16)
            #expect(assets.link("other.css") == nil)
            #expect(assets.names == ["icons/key.svg", "pippin.css"])
        }
    }

    @Test func `the best coding the client takes is sent`() async throws {
        try await withAssets(["pippin.css": style, "pippin.css.br": Array("brotli".utf8)]) {
            server, _, link async throws in
            let both = try server.get(link, "Accept-Encoding: gzip, deflate, br\r\n")
            #expect(both["content-encoding"] == "br")
            #expect(both.body == "brotli")
            let gzip = try server.get(link, "Accept-Encoding: gzip;q=0.5, br;q=0\r\n")
            #expect(gzip["content-encoding"] == "gzip")
            #expect(Int(gzip["content-length"] ?? "") ?? .max < style.count)
            #expect(gzip.body.utf8.first == 0x1F)
            let any = try server.get(link, "Accept-Encoding: *, br;q=0.000\r\n")
            #expect(any["content-encoding"] == "gzip")
            for none in ["identity", "gzip;q=0", ""] {
                let plain = try server.get(link, "Accept-Encoding: \(none)\r\n")
                #expect(plain["content-encoding"] == nil)
            }
        }
    }

    @Test func `V39: a file is sent whole, whatever range is asked for`() async throws {
        try await withAssets(["pippin.css": style]) { server, _, link async throws in
            let client = try server.client()
            for number in BoundaryNumber.texts where number.utf8.allSatisfy({ 0x20..<0x7F ~= $0 }) {
                let ranges = ["\(number)-", "-\(number)", "\(number)-\(number)", "0-0,\(number)-1,-1"]
                for range in ranges {
                    let fields = "Range: bytes=\(range)\r\nIf-Range: \(number)\r\n"
                    try client.send("GET \(link) HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n")
                    let answer = try client.readAnswer()
                    #expect(answer.status == 200 && answer["content-range"] == nil, "\(range)")
                    #expect(answer.body.utf8.count == style.count, "\(range)")
                }
            }
        }
    }

    @Test func `another content has another address`() async throws {
        var links: Set<String?> = []
        for content in ["a", "b", ""] {
            try await withFolder(["app.js": Array(content.utf8)]) { folder in
                links.insert(try Assets(folder: folder.path).link("app.js"))
            }
        }
        #expect(links.count == 3)
    }

    @Test func `a folder that is not there, or a name that needs escapes, stops the start`() async throws {
        #expect(throws: Assets.Failure.unreadable(path: "/nowhere", errno: ENOENT)) { try Assets(folder: "/nowhere") }
        try await withFolder(["a b.css": style]) { folder in
            #expect(throws: Assets.Failure.name(path: folder.path + "/a b.css")) { try Assets(folder: folder.path) }
        }
    }
}
