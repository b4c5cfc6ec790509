import Glibc
import TestSupport

/// A client that sends exactly the octets it is told to.
final class RawClient {
    private let descriptor: Int32

    /// - Parameter source: which address of this machine it connects from, as the last number of 127.0.0.x.
    init(port: UInt16, from source: UInt32 = 1) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        if source != 1 {
            var own = sockaddr_in()
            own.sin_family = sa_family_t(AF_INET)
            own.sin_addr.s_addr = (UInt32(0x7F00_0000) + source).bigEndian
            unsafe withUnsafeBytes(of: &own) { own in
                let start = unsafe own.assumingMemoryBound(to: sockaddr.self).baseAddress
                _ = unsafe bind(descriptor, start, socklen_t(own.count))
            }
        }
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = port.bigEndian
        name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var timeout = timeval(tv_sec: Int(Duration.testTimeout.components.seconds), tv_usec: 0)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        let result = unsafe withUnsafeBytes(of: &name) { name in
            let start = unsafe name.assumingMemoryBound(to: sockaddr.self).baseAddress
            return unsafe connect(descriptor, start, socklen_t(name.count))
        }
        guard result == 0 else { throw RawFailure.system(errno) }
    }

    deinit { close(descriptor) }

    func send(_ text: String) throws { try send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let sent = unsafe rest.withUnsafeBytes { bytes in
                unsafe Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            }
            guard sent > 0 else { throw RawFailure.system(errno) }
            rest = rest.dropFirst(sent)
        }
    }

    /// Closes the sending side, as a client does that has nothing more to say.
    func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Everything until the server closes.
    func readToEnd() throws -> String {
        var text: [UInt8] = []
        while let chunk = try read() { text += chunk }
        return String(decoding: text, as: UTF8.self)
    }

    /// One answer with `Content-Length`, on a connection that stays open.
    func readAnswer(hasBody: Bool = true) throws -> RawAnswer {
        var bytes = leftover
        while true {
            if let answer = RawAnswer(bytes, hasBody: hasBody) {
                leftover = Array(bytes.dropFirst(answer.size))
                return answer
            }
            guard let chunk = try read() else { throw RawFailure.closed(String(decoding: bytes, as: UTF8.self)) }
            bytes += chunk
        }
    }

    /// Whether the server has closed; waits for it at most as long as the socket does.
    func isClosed() -> Bool { do { return try read() == nil } catch { return errno == ECONNRESET } }

    /// Whether the server has closed by now.
    var hasEnded: Bool {
        var octet: UInt8 = 0
        let count = unsafe recv(descriptor, &octet, 1, Int32(MSG_DONTWAIT | MSG_PEEK))
        return count == 0 || count < 0 && errno == ECONNRESET
    }

    /// Whether some of an answer is there by now.
    var hasAnswer: Bool {
        var octet: UInt8 = 0
        return unsafe recv(descriptor, &octet, 1, Int32(MSG_DONTWAIT | MSG_PEEK)) > 0
    }

    private var leftover: [UInt8] = []

    private func read() throws -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 65536)
        let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
        guard count >= 0 else { throw RawFailure.system(errno) }
        return count == 0 ? nil : Array(buffer[..<count])
    }
}

enum RawFailure: Error {
    case system(Int32)
    case closed(String)
}

/// An answer as it came.
struct RawAnswer {
    let status: Int
    let fields: [(name: String, value: String)]
    let body: String
    let size: Int

    init?(_ bytes: [UInt8], hasBody: Bool) {
        guard let headEnd = bytes.indices.first(where: { bytes[$0...].starts(with: Array("\r\n\r\n".utf8)) }) else {
            return nil
        }
        let lines = String(decoding: bytes[..<headEnd], as: UTF8.self).split(separator: "\r\n")
        status = lines.first.flatMap { Int($0.split(separator: " ")[1]) } ?? 0
        fields = lines.dropFirst().map { line in
            let parts = line.split(separator: ":", maxSplits: 1)
            return (parts[0].lowercased(), String(parts[1].dropFirst()))
        }
        let length = fields.first { $0.name == "content-length" }.flatMap { Int($0.value) } ?? 0
        let bodyStart = headEnd + 4
        let bodyEnd = bodyStart + (hasBody ? length : 0)
        guard bytes.count >= bodyEnd else { return nil }
        body = String(decoding: bytes[bodyStart..<bodyEnd], as: UTF8.self)
        size = bodyEnd
    }

    subscript(_ name: String) -> String? { fields.first { $0.name == name.lowercased() }?.value }
}
