import Glibc
import TestSupport

/// One request on a connection of its own, sent as it is made; the answer is read when it is asked for.
final class Exchange {
    enum Failure: Error {
        case system(Int32)
        case noAnswer(String)
    }

    private let descriptor: Int32

    /// - Parameter source: last number of the client's address, 127.0.0.x.
    init(
        port: UInt16, from source: UInt8 = 1, _ method: String, _ path: String, _ fields: [String] = [],
        body: String? = nil
    ) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard unsafe Self.with(0, on: source, { unsafe bind(descriptor, $0, $1) }) == 0 else {
            throw Failure.system(errno)
        }
        try connect(to: port)
        var head = "\(method) \(path) HTTP/1.1\r\nConnection: close\r\n"
        if !fields.contains(where: { $0.hasPrefix("Host:") }) { head += "Host: pippin.example\r\n" }
        for field in fields { head += field + "\r\n" }
        if let body { head += "Content-Length: \(body.utf8.count)\r\n" }
        try send(Array((head + "\r\n" + (body ?? "")).utf8))
    }

    deinit { close(descriptor) }

    /// The answer, once the server has closed.
    func answer() throws -> Answer {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
            guard count >= 0 else { throw Failure.system(errno) }
            if count == 0 { break }
            bytes += buffer[..<count]
        }
        let text = String(decoding: bytes, as: UTF8.self)
        guard let answer = Answer(text) else { throw Failure.noAnswer(text) }
        return answer
    }

    private func connect(to port: UInt16) throws {
        var timeout = timeval(tv_sec: Int(Duration.testTimeout.components.seconds), tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, size)
        let result = unsafe Self.with(port, on: 1) { unsafe Glibc.connect(descriptor, $0, $1) }
        guard result == 0 else { throw Failure.system(errno) }
    }

    /// Lends the address 127.0.0.`host`.
    private static func with(_ port: UInt16, on host: UInt8, _ body: (UnsafePointer<sockaddr>?, socklen_t) -> Int32)
        -> Int32
    {
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = port.bigEndian
        name.sin_addr.s_addr = (UInt32(0x7F00_0000) | UInt32(host)).bigEndian
        return unsafe withUnsafeBytes(of: &name) { name in
            unsafe body(name.assumingMemoryBound(to: sockaddr.self).baseAddress, socklen_t(name.count))
        }
    }

    private func send(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let sent = unsafe rest.withUnsafeBytes { bytes in
                unsafe Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            }
            guard sent > 0 else { throw Failure.system(errno) }
            rest = rest.dropFirst(sent)
        }
    }
}
