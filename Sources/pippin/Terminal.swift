import Bytes
import Glibc

/// What the person at the terminal reads.
///
/// Names of people, members and files are somebody else's words: no control character of theirs gets there.
enum Terminal {
    /// Prints one line to standard output.
    static func say(_ line: String) {
        write(PrintableText.line(line) + "\n", to: 1)
    }

    /// Prints a text of ours, with its line breaks, to standard output.
    static func page(_ text: String) {
        write(PrintableText.page(text.hasSuffix("\n") ? text : text + "\n"), to: 1)
    }

    /// Passes octets on to standard output: as they are to a file or a program, and made harmless to a person.
    static func pass(_ bytes: [UInt8]) {
        guard isatty(1) == 1 else { return write(bytes, to: 1) }
        write(PrintableText.page(String(decoding: bytes, as: UTF8.self)), to: 1)
    }

    /// Prints one line to standard error.
    static func complain(_ line: String) {
        write("pippin: \(PrintableText.line(line))\n", to: 2)
    }

    private static func write(_ text: String, to descriptor: Int32) {
        write(Array(text.utf8), to: descriptor)
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
            }
            guard count > 0 || errno == EINTR else { return }
            rest = rest.dropFirst(max(0, count))
        }
    }
}
