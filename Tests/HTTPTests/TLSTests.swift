import Glibc
import Testing

@testable import HTTP

@Suite struct `TLS` {
    /// Runs a command line of the shell; its output.
    private func shell(_ command: String) throws -> String {
        let stream = try unsafe #require(unsafe popen(command, "r"))
        defer { unsafe pclose(stream) }
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = unsafe fread(&buffer, 1, buffer.count, stream)
            if count == 0 { return String(decoding: output, as: UTF8.self) }
            output += buffer[..<count]
        }
    }

    @Test func `a server with certificate and key speaks TLS`() async throws {
        let key = try shell("openssl ecparam -name prime256v1 -genkey -noout")
        let name = "/tmp/pippin-tls-\(UInt64.random(in: .min ... .max)).pem"
        let file = try unsafe #require(unsafe fopen(name, "w"))
        unsafe fputs(key, file)
        unsafe fclose(file)
        defer { unsafe unlink(name) }
        let certificate = try shell("openssl req -x509 -key \(name) -subj /CN=localhost -days 2")
        let tls = ServerTLS(certificate: certificate, key: key)

        try await withServer(options: { $0.tls = tls }) {
            $0.get(Route("/now")) { .text("now \($0.isSecure)") }
            $0.get(Route("/later")) { _ in
                try await Task.sleep(for: .milliseconds(5))
                return .text("later")
            }
        } _: { server async throws in
            let head = "HTTP/1.1\\r\\nHost: localhost\\r\\n"
            let requests = "GET /now \(head)\\r\\nGET /later \(head)Connection: close\\r\\n\\r\\n"
            let client = "timeout 10 openssl s_client -quiet -connect 127.0.0.1:\(server.port) 2>/dev/null"
            let answer = try shell("(printf '\(requests)'; sleep 1) | \(client)")

            #expect(answer.contains("now true"))
            #expect(answer.contains("later"))
        }
    }
}
