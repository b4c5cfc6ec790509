import Core
import Glibc

/// One HTTP message as it is sent.
struct RawRequest {
    var bytes: [UInt8]
    /// Whether the client determines the framing, so that a response is due.
    var isOurs: Bool
    var isHead = false
    /// Method and path, for reports.
    var line = ""
}

/// A response, with its transfer coding removed from the body.
struct Answer {
    var status = 0
    var head = ""
    var body: [UInt8] = []
    /// Whether the server closes the connection.
    var isLast = true

    var text: String { String(decoding: body, as: UTF8.self) }

    func values(of name: String) -> [String] {
        head.split(separator: "\r\n").compactMap { line in
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, parts[0].lowercased() == name else { return nil }
            return String(parts[1].drop { $0 == " " })
        }
    }
}

/// A client that sends one request after another, on one connection while it stays open.
final class Client {
    private let port: UInt16
    private var descriptor: Int32 = -1
    private var buffer = [UInt8](repeating: 0, count: 1 << 16)
    private var pending: [UInt8] = []

    /// Seconds to wait for a response that is due, on a busy machine.
    private static let timeout = 45
    /// Maximum number of octets that are read of a response without a length.
    private static let limit = 16 << 20

    init(port: UInt16) { self.port = port }

    /// Sends a message and reads its response; status 0 if there is none.
    func send(_ message: RawRequest) -> Answer {
        for _ in 0..<2 {
            let isFresh = descriptor < 0
            if isFresh { connect() }
            guard write(message.bytes) else {
                close()
                if isFresh { break }
                continue
            }
            let answer = read(isDue: message.isOurs, hasBody: !message.isHead)
            if answer.status == 0 || answer.isLast || !message.isOurs { close() }
            // The server may have closed a kept connection in the meantime.
            if answer.status == 0, !isFresh, message.isOurs { continue }
            return answer
        }
        return Answer()
    }

    func close() {
        if descriptor >= 0 { Glibc.close(descriptor) }
        descriptor = -1
        pending = []
    }

    private func connect() {
        pending = []
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = port.bigEndian
        name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = unsafe withUnsafeBytes(of: &name) { name in
            unsafe Glibc.connect(descriptor, name.assumingMemoryBound(to: sockaddr.self).baseAddress, size)
        }
        expect(result == 0, "the server takes no connection: \(errno)")
        var one: Int32 = 1
        unsafe setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, 4)
    }

    private func setPatience(milliseconds: Int) {
        var limit = timeval(tv_sec: milliseconds / 1000, tv_usec: (milliseconds % 1000) * 1000)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    private func write(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let sent = unsafe rest.withUnsafeBytes {
                unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if sent < 0, errno == EINTR { continue }
            // If the server rejects a request in the middle of its body, the response may already be there.
            guard sent > 0 else { return rest.count < bytes.count }
            rest = rest.dropFirst(sent)
        }
        return true
    }

    /// Reads a response, with a short timeout if the input determines the framing, as its request may be incomplete.
    private func read(isDue: Bool, hasBody: Bool) -> Answer {
        setPatience(milliseconds: isDue ? Self.timeout * 1000 : 10)
        var answer = Answer()
        repeat {
            guard let head = readHead(isDue: isDue) else { return Answer() }
            answer.head = head
            answer.status = Int(head.dropFirst(9).prefix(3)) ?? 0
        } while answer.status == 100
        let isBare = !hasBody || answer.status == 204 || answer.status == 304
        answer.isLast = answer.values(of: "connection").contains { $0.lowercased() == "close" }
        if isBare { return answer }
        if let length = answer.values(of: "content-length").first.flatMap({ Int($0) }) {
            answer.body = take(length, isDue) ?? []
        } else if answer.values(of: "transfer-encoding").contains("chunked") {
            answer.body = readChunks(isDue)
        } else {
            answer.isLast = true
            while fill(isDue), pending.count < Self.limit {}
            answer.body = pending
        }
        return answer
    }

    private func readHead(isDue: Bool) -> String? {
        let end = Array("\r\n\r\n".utf8)
        while true {
            if let range = pending.firstRange(of: end) {
                let head = String(decoding: pending[..<range.lowerBound], as: UTF8.self)
                pending.removeSubrange(..<range.upperBound)
                return head
            }
            guard fill(isDue) else { return nil }
        }
    }

    private func readChunks(_ isDue: Bool) -> [UInt8] {
        var body: [UInt8] = []
        while body.count < Self.limit, let line = takeLine(isDue), let count = Int(line, radix: 16) {
            guard let chunk = take(count + 2, isDue) else { break }
            body += chunk.dropLast(2)
            if count == 0 { break }
        }
        return body
    }

    private func takeLine(_ isDue: Bool) -> String? {
        while true {
            if let end = pending.firstRange(of: [13, 10]) {
                let line = String(decoding: pending[..<end.lowerBound], as: UTF8.self)
                pending.removeSubrange(..<end.upperBound)
                return line
            }
            guard fill(isDue) else { return nil }
        }
    }

    private func take(_ count: Int, _ isDue: Bool) -> [UInt8]? {
        while pending.count < count { guard fill(isDue) else { return nil } }
        let taken = Array(pending.prefix(count))
        pending.removeFirst(count)
        return taken
    }

    private func fill(_ isDue: Bool) -> Bool {
        var count = -1
        // libFuzzer's alarm interrupts calls now and then.
        repeat { count = unsafe recv(descriptor, &buffer, buffer.count, 0) } while count < 0 && errno == EINTR
        expect(count >= 0 || errno != EAGAIN || !isDue, "no answer within \(Self.timeout) s")
        guard count > 0 else { return false }
        pending += buffer[..<count]
        return true
    }
}
