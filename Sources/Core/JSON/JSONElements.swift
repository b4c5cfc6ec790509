/// A JSON document that is read element by element, so that a long one costs no more memory than its longest element.
///
/// It goes into the lists and objects that its user names, and hands out what they hold whole, as strict as `JSONReader`.
public struct JSONElements: Sendable {
    /// Octets of a part that is handed out whole; nothing that a person writes is longer.
    private static let longestElement = 16 << 20
    private static let step = 1 << 16

    /// The reason why the document is none, and the offset of the octet where that shows.
    public struct Fault: Error, Equatable, Sendable {
        public let failure: JSON.Failure
        public let offset: Int
    }

    private let source: JSONSource
    private var window: [UInt8] = []
    /// Offset of the window in the source.
    private var base: Int
    private var index = 0
    /// The lists and objects around the present place: whether each had no element yet.
    private var isFirst: [Bool] = []

    public init(_ source: JSONSource, at offset: Int = 0) {
        self.source = source
        base = offset
    }

    /// Offset of what is next, white space skipped.
    public mutating func offset() -> Int {
        skipSpace()
        return base + index
    }

    public mutating func isAt(_ character: Unicode.Scalar) -> Bool {
        skipSpace()
        return peek() == UInt8(ascii: character)
    }

    /// Goes into the list or object that is next, which begins with `bracket`.
    public mutating func enter(_ bracket: Unicode.Scalar) throws(Fault) {
        try expect(bracket)
        isFirst.append(true)
    }

    /// Whether an element follows, whose value is then to be read; else leaves the list or object.
    public mutating func hasNext(before bracket: Unicode.Scalar) throws(Fault) -> Bool {
        if isAt(bracket) {
            // A comma before it would be missing its element.
            index += 1
            isFirst.removeLast()
            return false
        }
        if !isFirst[isFirst.count - 1] {
            try expect(",")
            if isAt(bracket) { throw fault(.malformed) }
        }
        isFirst[isFirst.count - 1] = false
        return true
    }

    /// The name of the next member, whose value follows.
    public mutating func name() throws(Fault) -> String {
        guard isAt("\"") else { throw fault(.malformed) }
        let start = base + index
        let octets = try take()
        var reader = JSONReader(octets, JSON.Limits(depth: 0, values: 1))
        guard case .string(let text)? = try? reader.whole(), let name = FieldName(text) else {
            throw Fault(failure: .malformed, offset: start)
        }
        try expect(":")
        return name.text
    }

    /// The value that is next, whole.
    public mutating func value(maxDepth: Int, maxValues: Int, _ notes: inout JSONNotes) throws(Fault) -> JSONValue {
        let start = offset()
        var reader = JSONReader(try take(), JSON.Limits(depth: maxDepth, values: maxValues))
        notes.base = start
        reader.notes = notes
        defer {
            if let found = reader.notes { notes = found }
            notes.base = 0
        }
        do { return try reader.whole() } catch { throw Fault(failure: error, offset: start + reader.index) }
    }

    /// Requires that nothing follows.
    public mutating func end() throws(Fault) {
        skipSpace()
        if peek() != nil { throw fault(.malformed) }
    }

    /// Cuts out one value by its brackets and quotation marks; it is parsed afterwards.
    private mutating func take() throws(Fault) -> [UInt8] {
        var octets: [UInt8] = []
        var (depth, isText, isEscaped) = (0, false, false)
        while let octet = peek() {
            if isText {
                if isEscaped {
                    isEscaped = false
                } else if octet == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if octet == UInt8(ascii: "\"") {
                    isText = false
                }
            } else {
                switch octet {
                case UInt8(ascii: "\""): isText = true
                case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
                case UInt8(ascii: "}"), UInt8(ascii: "]"):
                    if depth == 0 { return octets }
                    depth -= 1
                case UInt8(ascii: ","), UInt8(ascii: ":"), 0x20, 0x0A, 0x0D, 0x09: if depth == 0 { return octets }
                default: break
                }
            }
            guard octets.count < Self.longestElement else { throw fault(.tooMany(limit: Self.longestElement)) }
            octets.append(octet)
            index += 1
            if depth == 0, !isText,
                octet == UInt8(ascii: "\"") || octet == UInt8(ascii: "}") || octet == UInt8(ascii: "]")
            {
                return octets
            }
        }
        return octets
    }

    private mutating func peek() -> UInt8? {
        if index == window.count {
            base += index
            (window, index) = (source.read(base, Self.step), 0)
        }
        return index < window.count ? window[index] : nil
    }

    private mutating func skipSpace() {
        while let octet = peek(), octet == 0x20 || octet == 0x0A || octet == 0x0D || octet == 0x09 { index += 1 }
    }

    private mutating func expect(_ character: Unicode.Scalar) throws(Fault) {
        guard isAt(character) else { throw fault(.malformed) }
        index += 1
    }

    private func fault(_ failure: JSON.Failure) -> Fault { Fault(failure: failure, offset: base + index) }
}
