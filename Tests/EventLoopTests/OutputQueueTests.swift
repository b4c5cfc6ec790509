import Glibc
import Testing

@testable import EventLoop

/// Lines for a real pipe, whose reader stops.
@Suite struct OutputQueueTests {
    private static func line(_ number: Int) -> [UInt8] {
        Array("\(number) \(String(repeating: "x", count: 90))\n".utf8)
    }

    @Test func `V89: whoever writes goes on while the reader has stopped, who is told how much it missed`() throws {
        var ends: [Int32] = [-1, -1]
        try #require(unsafe pipe(&ends) == 0)
        let queue = OutputQueue(ends[1], limit: 10_000) { Array("dropped \($0)\n".utf8) }

        // Far more than the pipe and the queue have room for: this loop ends because none of it waits.
        for number in 0..<10_000 { queue.write(Self.line(number)) }
        let reader = Reader(ends[0])
        var (numbers, dropped): ([Int], Int) = ([], 0)
        while numbers.count + dropped < 10_000 {
            let words = try #require(reader.line()).split(separator: " ")
            let number = try #require(words.compactMap { Int($0) }.first)
            // What was dropped stood between the lines before and those after it.
            if words[0] == "dropped" { dropped += number } else { numbers.append(number) }
        }
        queue.write(Self.line(10_000))

        #expect(numbers == numbers.sorted())
        #expect(dropped > 0)
        #expect(reader.line()?.hasPrefix("10000 ") == true)
    }

    @Test func `the flags of the descriptor, which others share, stay as they are`() throws {
        var ends: [Int32] = [-1, -1]
        try #require(unsafe pipe(&ends) == 0)
        let before = fcntl(ends[1], F_GETFL)
        let queue = OutputQueue(ends[1]) { _ in [] }

        queue.write(Self.line(1))
        queue.wait()

        #expect(fcntl(ends[1], F_GETFL) == before)
    }

    @Test func `a descriptor that its owner has made non-blocking loses nothing`() throws {
        var ends: [Int32] = [-1, -1]
        try #require(unsafe pipe(&ends) == 0)
        _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
        let queue = OutputQueue(ends[1]) { _ in [] }

        for number in 0..<5_000 { queue.write(Self.line(number)) }
        let reader = Reader(ends[0])
        for number in 0..<5_000 { #expect(try #require(reader.line()).hasPrefix("\(number) ")) }
    }
}

/// Reads a pipe line by line, waiting for each.
private final class Reader {
    private let descriptor: Int32
    private var rest: [UInt8] = []

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    func line() -> String? {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                defer { rest.removeFirst(end + 1) }
                return String(decoding: rest[..<end], as: UTF8.self)
            }
            let count = unsafe read(descriptor, &buffer, buffer.count)
            guard count > 0 else { return nil }
            rest += buffer.prefix(count)
        }
    }
}
