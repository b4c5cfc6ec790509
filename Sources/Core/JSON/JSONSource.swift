/// What a document is read from in parts, any number of times.
public struct JSONSource: Sendable {
    /// At most so many octets from an offset on; none at the end.
    let read: @Sendable (_ offset: Int, _ count: Int) -> [UInt8]

    public init(_ read: @escaping @Sendable (_ offset: Int, _ count: Int) -> [UInt8]) { self.read = read }

    public init(_ bytes: [UInt8]) { self.init { offset, count in Array(bytes.dropFirst(offset).prefix(count)) } }

    /// The octets at the beginning.
    public func prefix(_ count: Int) -> [UInt8] { Array(read(0, count).prefix(count)) }

    /// Where the text begins, after a byte order mark.
    public var start: Int { ByteOrderMark.removed(from: prefix(3)).isEmpty && prefix(3).count == 3 ? 3 : 0 }

    /// The places of octets, by their offsets.
    public func places(of offsets: [Int]) -> [Int: TextPlace] {
        var (places, place): ([Int: TextPlace], TextPlace) = ([:], TextPlace(line: 1, column: 1))
        var (left, start) = (Set(offsets), start)
        while !left.isEmpty {
            let octets = read(start, 1 << 16)
            for (index, octet) in octets.enumerated() {
                if left.remove(start + index) != nil { places[start + index] = place }
                if octet & 0xC0 == 0x80 { continue }
                place =
                    octet == UInt8(ascii: "\n")
                    ? TextPlace(line: place.line + 1, column: 1) : TextPlace(line: place.line, column: place.column + 1)
            }
            start += octets.count
            guard octets.isEmpty else { continue }
            // Where the document is cut off.
            for offset in left { places[offset] = place }
            return places
        }
        return places
    }
}

/// A place in a text that a person wrote.
public struct TextPlace: Hashable, Sendable, CustomStringConvertible {
    /// Starting at 1.
    public let line: Int
    /// Code point within the line, starting at 1.
    public let column: Int

    public init(line: Int, column: Int) { (self.line, self.column) = (line, column) }

    public var description: String { "line \(line), column \(column)" }
}
