import EventLoop
import Glibc
import TestSupport
import Testing

@testable import HTTP

@Suite struct `TLS` {
    /// A certificate for that name that signs itself, and its key.
    private func made(_ name: String, key kind: String = "ec -pkeyopt ec_paramgen_curve:prime256v1") throws -> ServerTLS
    {
        let file = "/tmp/pippin-tls-\(UInt64.random(in: .min ... .max)).pem"
        defer { unsafe unlink(file) }
        let options = "-nodes -keyout \(file) -subj /CN=\(name) -days 2 2>/dev/null"
        let certificate = try shell("openssl req -x509 -newkey \(kind) \(options)")
        return ServerTLS(certificate: certificate, key: try shell("cat \(file)"))
    }

    /// What `openssl s_client` says of a connection made with those options.
    private func handshake(_ server: TestServer, _ options: String) throws -> String {
        let request = "GET / HTTP/1.1\\r\\nHost: a\\r\\nConnection: close\\r\\n\\r\\n"
        return try shell(
            "printf '\(request)' | timeout 600 openssl s_client -ign_eof \(options) -connect 127.0.0.1:\(server.port) 2>&1"
        )
    }

    @Test func `S44: nothing without forward secrecy and authenticated encryption is spoken`() async throws {
        let tls = try made("localhost", key: "rsa:2048")
        try await withServer(options: { $0.tls = tls }) { server async throws in
            for cipher in ["AES128-SHA", "AES256-GCM-SHA384", "ECDHE-RSA-AES128-SHA", "DHE-RSA-AES128-SHA"] {
                let said = try handshake(server, "-tls1_2 -cipher '\(cipher):@SECLEVEL=0'")
                #expect(!said.contains("200 OK") && said.contains("Cipher is (NONE)"), "\(cipher): \(said)")
            }
            for old in ["-tls1", "-tls1_1"] {
                #expect(!(try handshake(server, "\(old) -cipher 'ALL:@SECLEVEL=0'").contains("200 OK")), "\(old)")
            }
            let spoken = ["-tls1_2 -cipher 'ECDHE-RSA-AES128-GCM-SHA256:@SECLEVEL=0'", "-tls1_2", "-tls1_3"]
            for spoken in spoken { #expect(try handshake(server, spoken).contains("200 OK"), "\(spoken)") }
        }
    }

    @Test func `S9, V44: who never finishes the handshake is not waited for`() async throws {
        let tls = try made("localhost")
        try await withServer(options: { $0.tls = tls }) { server async throws in
            let silent = try server.client()
            let begun = try server.client(sending: [0x16, 0x03, 0x01, 0x02])
            try await waitUntil { try await server.connectionCount() == 2 }
            try await server.pass(.testTimeout)
            #expect(silent.isClosed())
            #expect(begun.isClosed())
        }
    }

    @Test func `S44: a renewed certificate is taken up by the running server`() async throws {
        let (first, second) = (try made("first.test"), try made("second.test"))
        try await withServer(options: { $0.tls = first }) { server async throws in
            #expect(try handshake(server, "").contains("first.test"))
            let mixed = ServerTLS(certificate: second.certificate, key: first.key)
            let isTaken = try await server.loop.run { [server = server.server] in
                (server.renew(mixed), server.renew(second))
            }
            #expect(isTaken == (false, true))
            let said = try handshake(server, "")
            #expect(said.contains("second.test") && !said.contains("first.test") && said.contains("200 OK"))
        }
    }

    @Test func `a server with certificate and key speaks TLS`() async throws {
        let tls = try made("localhost")
        try await withServer(options: { $0.tls = tls }) {
            $0.get(Route("/now")) { .text("now \($0.isSecure)") }
            $0.get(Route("/later")) { _ in
                await Task.yield()
                return .text("later")
            }
        } _: { server async throws in
            let head = "HTTP/1.1\\r\\nHost: localhost\\r\\n"
            let requests = "GET /now \(head)\\r\\nGET /later \(head)Connection: close\\r\\n\\r\\n"
            let client = "timeout 600 openssl s_client -quiet -connect 127.0.0.1:\(server.port) 2>/dev/null"
            let answer = try shell("printf '\(requests)' | \(client)")

            #expect(answer.contains("now true"))
            #expect(answer.contains("later"))
        }
    }
}
