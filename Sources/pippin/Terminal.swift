import Glibc

/// What the person at the terminal reads.
enum Terminal {
    /// Prints to standard output.
    static func say(_ text: String) {
        write(text.hasSuffix("\n") ? text : text + "\n", to: 1)
    }

    /// Passes octets on to standard output, as they are.
    static func pass(_ bytes: [UInt8]) {
        write(bytes, to: 1)
    }

    /// Prints one line to standard error.
    static func complain(_ line: String) {
        write("pippin: \(line)\n", to: 2)
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
