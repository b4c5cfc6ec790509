/// Integers in network byte order, as in PostgreSQL's binary formats.
enum BigEndian {
    static func append(_ value: some FixedWidthInteger, to bytes: inout [UInt8]) {
        for shift in stride(from: value.bitWidth - 8, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }

    static func read<Value: FixedWidthInteger>(_ type: Value.Type, _ bytes: UnsafeRawBufferPointer) -> Value? {
        guard bytes.count == MemoryLayout<Value>.size else { return nil }
        return unsafe Value(bigEndian: bytes.loadUnaligned(as: Value.self))
    }

    /// Reads values from the front of a buffer, never beyond its end.
    @safe struct Reader {
        private let bytes: UnsafeRawBufferPointer
        private var offset = 0

        init(_ bytes: UnsafeRawBufferPointer) { unsafe self.bytes = bytes }

        mutating func int32() -> Int32? { unsafe take(4).flatMap { unsafe BigEndian.read(Int32.self, $0) } }

        mutating func text(_ length: Int32) -> String? { unsafe take(Int(length)).flatMap { unsafe String.decode($0) } }

        private mutating func take(_ count: Int) -> UnsafeRawBufferPointer? {
            guard count >= 0, unsafe count <= bytes.count - offset else { return nil }
            defer { offset += count }
            return unsafe UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + count)])
        }
    }
}
