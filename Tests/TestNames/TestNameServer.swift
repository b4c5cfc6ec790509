public import EventLoop
import Glibc

/// A name server on 127.0.0.1 that knows TXT records and a few ways to misbehave; over UDP and TCP on one port.
///
/// Belongs to its loop.
// @unchecked Sendable: touched on the loop's thread alone.
public final class TestNameServer: @unchecked Sendable {
    /// What it does when asked for a name.
    public enum Behaviour: Sendable {
        /// Each record as the strings it is made of.
        case records([[String]])
        /// Says over UDP that the answer is too long, and gives it over TCP.
        case truncated([[String]])
        /// Sends one of these codes (RFC 1035 section 4.1.1): 2 SERVFAIL, 3 NXDOMAIN, 5 REFUSED.
        case code(UInt8)
        /// Something that answers no question.
        case garbage
        /// The beginning of an answer.
        case malformed
        case silence

        /// One record of one string.
        public static func text(_ text: String) -> Behaviour { .records([[text]]) }
    }

    private let loop: EventLoop
    private let packets: Int32
    private let listener: Int32
    private var watches: [Int32: Watch] = [:]
    /// By name in lower case; every other name does not exist.
    public var names: [String: Behaviour] = [:]
    /// The names asked for, in order, with how: `udp` or `tcp`, and `EDNS` where the question has extensions.
    public private(set) var asked: [String] = []
    public let port: UInt16

    /// Listens; to be called on the loop.
    public init(on loop: EventLoop) throws(EventLoop.Failure) {
        self.loop = loop
        (packets, listener, port) = Self.open()
        watches[packets] = try loop.watch(packets, for: .read) { [unowned self] _ in receive() }
        watches[listener] = try loop.watch(listener, for: .read) { [unowned self] _ in accept() }
    }

    /// As options of a resolver name it.
    public var address: String { "127.0.0.1:\(port)" }

    /// To be called on the loop.
    public func close() {
        for (descriptor, watch) in watches {
            watch.cancel()
            Glibc.close(descriptor)
        }
        watches = [:]
    }

    private func receive() {
        var sender = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        var packet = [UInt8](repeating: 0, count: 4096)
        let count = unsafe withUnsafeMutableBytes(of: &sender) { sender in
            let start = unsafe sender.assumingMemoryBound(to: sockaddr.self).baseAddress
            return unsafe recvfrom(packets, &packet, packet.count, 0, start, &length)
        }
        guard count > 0, let answer = answer(to: Array(packet[..<count]), isPacket: true) else { return }
        unsafe withUnsafeBytes(of: &sender) { sender in
            let start = unsafe sender.assumingMemoryBound(to: sockaddr.self).baseAddress
            _ = unsafe sendto(packets, answer, answer.count, 0, start, length)
        }
    }

    private func accept() {
        let connection = Glibc.accept(listener, nil, nil)
        guard connection >= 0 else { return }
        var received: [UInt8] = []
        watches[connection] = try? loop.watch(connection, for: .read) { [unowned self] _ in
            var chunk = [UInt8](repeating: 0, count: 4096)
            let count = unsafe recv(connection, &chunk, chunk.count, 0)
            guard count > 0 else {
                watches.removeValue(forKey: connection)?.cancel()
                Glibc.close(connection)
                return
            }
            received += chunk[..<count]
            // Queries may come together.
            while received.count >= 2 {
                let length = Int(received[0]) << 8 | Int(received[1])
                guard received.count >= 2 + length else { return }
                let query = Array(received[2..<2 + length])
                received.removeFirst(2 + length)
                guard let answer = answer(to: query, isPacket: false) else { continue }
                let message = [UInt8(answer.count >> 8), UInt8(answer.count & 0xFF)] + answer
                unsafe send(connection, message, message.count, Int32(MSG_NOSIGNAL))
            }
        }
    }

    private func answer(to query: [UInt8], isPacket: Bool) -> [UInt8]? {
        guard let question = NameQuestion(query) else { return nil }
        asked.append("\(isPacket ? "udp" : "tcp") \(question.name)\(question.hasExtensions ? " EDNS" : "")")
        switch names[question.name] ?? .code(3) {
        case .records(let records): return question.answer(records)
        case .truncated(let records):
            return isPacket ? question.answer([], isTruncated: true) : question.answer(records)
        case .code(let code): return question.answer([], code: code)
        case .garbage: return Array(query.prefix(2)) + [0x81, 0x80, 0, 1, 0, 9, 0xC0, 0xFF]
        case .malformed: return question.answer([["v=spf1"]]).dropLast(4)
        case .silence: return nil
        }
    }

    /// Two sockets on one port that both kinds have free.
    private static func open() -> (packets: Int32, listener: Int32, port: UInt16) {
        while true {
            let packets = socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            var name = sockaddr_in()
            name.sin_family = sa_family_t(AF_INET)
            name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isOpen = unsafe withUnsafeMutableBytes(of: &name) { name in
                let start = unsafe name.assumingMemoryBound(to: sockaddr.self).baseAddress
                return unsafe bind(packets, start, length) == 0 && getsockname(packets, start, &length) == 0
                    && bind(listener, start, length) == 0 && listen(listener, 8) == 0
            }
            if isOpen { return (packets, listener, UInt16(bigEndian: name.sin_port)) }
            Glibc.close(packets)
            Glibc.close(listener)
        }
    }
}
