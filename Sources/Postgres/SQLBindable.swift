public import Core

/// A value that can be bound to a statement, in PostgreSQL's binary format (documentation, section 55.2).
public protocol SQLBindable: Sendable {
    /// Object id of the type in PostgreSQL's `pg_type`.
    static var sqlType: UInt32 { get }

    /// Appends the value and returns true; returns false, and appends nothing, for NULL.
    func encode(into bytes: inout [UInt8]) -> Bool
}

/// A value that can be read from a column in binary format.
public protocol SQLReadable {
    /// Decodes a value; nil if the octets are not of this type.
    static func decode(_ bytes: UnsafeRawBufferPointer) -> Self?
}

/// A distinct type that is stored as `text`, such as an identifier.
public protocol SQLText: SQLBindable, SQLReadable, RawRepresentable<String> {}

extension SQLText {
    @inlinable public static var sqlType: UInt32 { String.sqlType }

    @inlinable public func encode(into bytes: inout [UInt8]) -> Bool { rawValue.encode(into: &bytes) }

    @inlinable public static func decode(_ bytes: UnsafeRawBufferPointer) -> Self? {
        unsafe String.decode(bytes).flatMap(Self.init(rawValue:))
    }
}

extension String: SQLBindable, SQLReadable {
    public static var sqlType: UInt32 { 25 }

    public func encode(into bytes: inout [UInt8]) -> Bool {
        bytes.append(contentsOf: utf8)
        return true
    }

    public static func decode(_ bytes: UnsafeRawBufferPointer) -> String? {
        unsafe String(validUTF8: bytes.assumingMemoryBound(to: UInt8.self).span)
    }
}

/// Element of an array: an array of octets is a `bytea`, an array of strings a `text[]`.
public protocol SQLElement: Sendable {
    static var arrayType: UInt32 { get }
    static func encode(_ elements: [Self], into bytes: inout [UInt8])
    static func decode(_ bytes: UnsafeRawBufferPointer) -> [Self]?
}

extension Array: SQLBindable, SQLReadable where Element: SQLElement {
    @inlinable public static var sqlType: UInt32 { Element.arrayType }

    @inlinable public func encode(into bytes: inout [UInt8]) -> Bool {
        Element.encode(self, into: &bytes)
        return true
    }

    public static func decode(_ bytes: UnsafeRawBufferPointer) -> [Element]? { unsafe Element.decode(bytes) }
}

extension UInt8: SQLElement {
    public static var arrayType: UInt32 { 17 }

    public static func encode(_ elements: [UInt8], into bytes: inout [UInt8]) { bytes.append(contentsOf: elements) }

    public static func decode(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? { unsafe [UInt8](bytes) }
}

extension Bool: SQLBindable, SQLReadable {
    public static var sqlType: UInt32 { 16 }

    public func encode(into bytes: inout [UInt8]) -> Bool {
        bytes.append(self ? 1 : 0)
        return true
    }

    public static func decode(_ bytes: UnsafeRawBufferPointer) -> Bool? {
        guard bytes.count == 1 else { return nil }
        return unsafe bytes[0] != 0
    }
}

extension Int: SQLBindable, SQLReadable {
    public static var sqlType: UInt32 { 20 }

    public func encode(into bytes: inout [UInt8]) -> Bool {
        BigEndian.append(Int64(self), to: &bytes)
        return true
    }

    /// Decodes `smallint`, `integer` and `bigint`.
    public static func decode(_ bytes: UnsafeRawBufferPointer) -> Int? {
        switch bytes.count {
        case 2: unsafe BigEndian.read(Int16.self, bytes).map(Int.init)
        case 4: unsafe BigEndian.read(Int32.self, bytes).map(Int.init)
        case 8: unsafe BigEndian.read(Int64.self, bytes).map { Int($0) }
        default: nil
        }
    }
}

extension Timestamp: SQLBindable, SQLReadable {
    public static var sqlType: UInt32 { 1184 }

    /// PostgreSQL's epoch, 2000-01-01, in microseconds since 1970-01-01.
    private static var epoch: Int64 { 946_684_800_000_000 }

    /// Encodes a time; one outside PostgreSQL's range becomes its infinity.
    public func encode(into bytes: inout [UInt8]) -> Bool {
        let (value, isBeyond) = microseconds.subtractingReportingOverflow(Self.epoch)
        BigEndian.append(isBeyond ? (microseconds < 0 ? .min : .max) : value, to: &bytes)
        return true
    }

    public static func decode(_ bytes: UnsafeRawBufferPointer) -> Timestamp? {
        unsafe BigEndian.read(Int64.self, bytes).map { Timestamp(microseconds: $0 &+ epoch) }
    }
}

extension String: SQLElement {
    public static var arrayType: UInt32 { 1009 }

    /// Encodes one dimension without NULLs: dimensions, null flag, element type, length, lower bound, elements.
    public static func encode(_ elements: [String], into bytes: inout [UInt8]) {
        for header in [elements.isEmpty ? 0 : 1, 0, Int32(sqlType)] { BigEndian.append(header, to: &bytes) }
        guard !elements.isEmpty else { return }
        for header in [Int32(clamping: elements.count), 1] { BigEndian.append(header, to: &bytes) }
        for element in elements {
            BigEndian.append(Int32(clamping: element.utf8.count), to: &bytes)
            bytes.append(contentsOf: element.utf8)
        }
    }

    public static func decode(_ bytes: UnsafeRawBufferPointer) -> [String]? {
        var reader = unsafe BigEndian.Reader(bytes)
        guard let dimensions = reader.int32(), reader.int32() == 0, reader.int32() != nil else { return nil }
        if dimensions == 0 { return [] }
        guard dimensions == 1, let count = reader.int32(), count >= 0, reader.int32() != nil else { return nil }
        var elements: [String] = []
        for _ in 0..<count {
            guard let length = reader.int32(), let text = reader.text(length) else { return nil }
            elements.append(text)
        }
        return elements
    }
}

extension Optional: SQLBindable where Wrapped: SQLBindable {
    @inlinable public static var sqlType: UInt32 { Wrapped.sqlType }

    @inlinable public func encode(into bytes: inout [UInt8]) -> Bool { self?.encode(into: &bytes) ?? false }
}

/// Integers in network byte order, as in PostgreSQL's binary formats.
private enum BigEndian {
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
