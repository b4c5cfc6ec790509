import CLinux
import Core
import EventLoop
import Glibc

/// Output for the person at the terminal.
///
/// Names of users, members and files come from outside, so control characters in them are never printed.
enum Terminal {
    /// Set by `serve`, which goes on although what reads its output has stopped; other commands wait for it.
    static let isServing = Flag()
    private static let output = OutputQueue(1) { _ in [] }

    /// Prints one line to standard output.
    static func say(_ line: String) { write(PrintableText.line(line) + "\n", to: 1) }

    /// Prints one of Pippin's own texts, with its line breaks, to standard output.
    static func page(_ text: String) { write(PrintableText.page(text.hasSuffix("\n") ? text : text + "\n"), to: 1) }

    /// Writes octets to standard output: unchanged to a file or pipe, without control characters to a terminal.
    static func pass(_ bytes: [UInt8]) {
        guard isatty(1) == 1 else { return write(bytes, to: 1) }
        write(PrintableText.page(String(decoding: bytes, as: UTF8.self)), to: 1)
    }

    /// What a long command calls each second to say that it goes on: each time at a terminal, once a minute in a log.
    static func progress(_ name: String) -> () -> Void {
        var seconds = 0
        return {
            seconds += 1
            if isatty(2) == 1 || seconds % 60 == 0 { complain("\(name): \(seconds) s") }
        }
    }

    /// Prints one line to standard error.
    static func complain(_ line: String) { write("pippin: \(PrintableText.line(line))\n", to: 2) }

    private static func write(_ text: String, to descriptor: Int32) { write(Array(text.utf8), to: descriptor) }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) {
        if isServing.isSet {
            let queue = descriptor == 1 ? output : Log.output
            queue.write(bytes)
            return queue.wait()
        }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 || errno == EINTR else { return }
            rest = rest.dropFirst(max(0, count))
        }
    }
}
