import Glibc

/// One client that asks one thing after another, on a connection that is kept while the server keeps it.
///
/// It blocks: the CPU it needs is none of the server's loop.
final class Wire {
    private let port: UInt16
    private var descriptor: Int32 = -1
    private var pending: [UInt8] = []
    private var buffer = [UInt8](repeating: 0, count: 1 << 16)
    /// Called when a message is sent and its answer not yet read.
    var meanwhile: () -> Void = {}

    init(port: UInt16) { self.port = port }

    deinit { close() }

    /// An answer; status 0 where the server closed without one.
    struct Answer {
        var status = 0
        var fields: [(name: String, value: String)] = []
        var body: [UInt8] = []

        var text: String { String(decoding: body, as: UTF8.self) }
        var location: String? { self["location"] }

        /// The first value of a header field, named in lower case.
        subscript(_ name: String) -> String? { fields.first { $0.name == name }?.value }
    }

    /// Sends a whole message and reads its answer.
    func ask(_ message: [UInt8]) -> Answer {
        for _ in 0..<2 {
            let isFresh = descriptor < 0
            if isFresh { connect() }
            let isSent = send(message)
            meanwhile()
            meanwhile = {}
            let answer = isSent || isFresh ? read() : Answer()
            if answer.status == 0 || answer["connection"]?.lowercased() == "close" { close() }
            // A kept connection may have ended while nobody looked.
            if answer.status == 0, !isFresh { continue }
            return answer
        }
        return Answer()
    }

    /// Sends and leaves the answer where it is.
    func send(_ message: [UInt8]) -> Bool {
        if descriptor < 0 { connect() }
        var rest = message[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            // Who is refused in the middle of a body may find the answer waiting.
            guard count > 0 else { return rest.count < message.count }
            rest = rest.dropFirst(count)
        }
        return true
    }

    func close() {
        if descriptor >= 0 { Glibc.close(descriptor) }
        descriptor = -1
        pending = []
    }

    private func connect() {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = port.bigEndian
        name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = unsafe withUnsafeBytes(of: &name) { name in
            unsafe Glibc.connect(descriptor, name.assumingMemoryBound(to: sockaddr.self).baseAddress, size)
        }
        var one: Int32 = 1
        unsafe setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, 4)
    }

    /// Reads the answer that is due.
    func read() -> Answer {
        var answer = Answer()
        repeat {
            guard let head = take(upTo: Array("\r\n\r\n".utf8)) else { return Answer() }
            let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n")
            answer.status = Int(lines.first?.dropFirst(9).prefix(3) ?? "") ?? 0
            answer.fields = lines.dropFirst().map { line in
                let parts = line.split(separator: ":", maxSplits: 1)
                return (parts[0].lowercased(), parts.count > 1 ? String(parts[1].dropFirst()) : "")
            }
        } while answer.status == 100
        if answer.status == 204 || answer.status == 304 { return answer }
        if let length = answer["content-length"].flatMap({ Int($0) }) {
            answer.body = take(length) ?? []
        } else if answer["transfer-encoding"] == "chunked" {
            while let line = take(upTo: [13, 10]), let count = Int(String(decoding: line, as: UTF8.self), radix: 16),
                let chunk = take(count + 2), count > 0
            { answer.body += chunk.dropLast(2) }
        }
        return answer
    }

    private func take(upTo end: [UInt8]) -> [UInt8]? {
        var start = 0
        while true {
            while start + end.count <= pending.count {
                if pending[start] == end[0], pending[start..<start + end.count].elementsEqual(end) {
                    let taken = Array(pending[..<start])
                    pending.removeFirst(start + end.count)
                    return taken
                }
                start += 1
            }
            guard fill() else { return nil }
        }
    }

    private func take(_ count: Int) -> [UInt8]? {
        while pending.count < count { guard fill() else { return nil } }
        defer { pending.removeFirst(count) }
        return Array(pending[..<count])
    }

    private func fill() -> Bool {
        let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
        guard count > 0 else { return false }
        pending += buffer[..<count]
        return true
    }
}
