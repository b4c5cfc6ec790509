import Core
import Glibc
import Simulator
import Testing

@testable import SignIn

/// The samples of the documentation send what Pippin takes.
@Suite(.apple) struct `The sample for iOS` {
    /// Names of form fields in the source, as they are set there.
    private func fields(of path: String) throws -> Set<String> {
        let root = "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        let source = try #require(text(at: "\(root)/docs/samples/PippinSignIn.swift"))
        let call = try #require(source.split(separator: "func ").first { $0.contains("\"\(path)\"") })
        let quoted = call.split(separator: "\"", omittingEmptySubsequences: false)
        return Set(quoted.enumerated().filter { $0.offset % 2 == 1 }.map { String($0.element) })
    }

    private func text(at path: String) -> String? {
        guard let file = unsafe fopen(path, "r") else { return nil }
        defer { unsafe fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = unsafe fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes[..<count], as: UTF8.self)
    }

    @Test func `hands over with the fields that the address takes, and refreshes without a secret`() throws {
        let sent = try fields(of: "auth/native").subtracting(["auth/native"])
        var given = try site.device(.regular)
        #expect(sent == Set(given.keys).union(["nonce"]))
        given = given.filter { sent.contains($0.key) }
        let session = try site.handOver(given)
        #expect(session.status == 200 && session.json["is_new_user"] == true)

        let token = try #require(session.json["refresh_token"]?.string)
        let refreshing = try fields(of: "auth/token").subtracting(["auth/token", "refresh_token"])
        #expect(refreshing == ["client_id", "grant_type"])
        #expect(try site.refresh(token).status == 200)
    }
}
