import CPostgreSQL

/// Bound parameters of a statement in PostgreSQL's binary format, in one buffer.
@usableFromInline struct Parameters: Equatable, Sendable {
    private(set) var types: [UInt32] = []
    /// Position of each value in `bytes`; a negative length is NULL.
    private(set) var slices: [Slice] = []
    @usableFromInline var bytes: [UInt8] = []

    struct Slice: Equatable, Sendable {
        var offset: Int
        let length: Int32
    }

    var count: Int { types.count }

    /// Adds the value of `type` whose octets are those from `offset` on.
    mutating func append(_ type: UInt32, from offset: Int, isNull: Bool) {
        types.append(type)
        slices.append(Slice(offset: offset, length: isNull ? -1 : Int32(clamping: bytes.count - offset)))
    }

    mutating func append(contentsOf other: Parameters) {
        let offset = bytes.count
        types += other.types
        slices += other.slices.map { Slice(offset: $0.offset + offset, length: $0.length) }
        bytes += other.bytes
    }
}

extension Parameters {
    /// Queues the preparation of `text` under `name`; false if libpq rejects it.
    func prepare(_ name: String, text: String, on handle: OpaquePointer) -> Bool {
        unsafe PQsendPrepare(handle, name, text, Int32(count), types) == 1
    }

    /// Queues the execution of the statement `name` with these values, all in binary format; false if libpq rejects it.
    func execute(_ name: String, on handle: OpaquePointer) -> Bool {
        let formats = [Int32](repeating: 1, count: count)
        let lengths = slices.map { max(0, $0.length) }
        return unsafe bytes.withUnsafeBytes { buffer in
            let base = unsafe buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
            let values: [UnsafePointer<CChar>?] = unsafe slices.map { slice in
                if slice.length < 0 { return nil }
                return unsafe base.map { unsafe $0 + slice.offset } ?? Self.empty
            }
            return unsafe PQsendQueryPrepared(handle, name, Int32(count), values, lengths, formats, 1) == 1
        }
    }

    /// Pointer for an empty value, since a null pointer means SQL's NULL; lives as long as the process.
    nonisolated(unsafe) private static let empty: UnsafePointer<CChar> = {
        let pointer = UnsafeMutablePointer<CChar>.allocate(capacity: 1)
        unsafe pointer.initialize(to: 0)
        return unsafe UnsafePointer(pointer)
    }()
}
