/// Check that the pieces into which libmicrohttpd splits a head account for every octet of it.
///
/// libmicrohttpd splits a head in place, with zero octets, and takes a line that begins with a colon or a zero octet
/// for the end of the head: the rest would be read as another request, which no server in front has seen. So the pieces
/// must lie in the buffer exactly as in a well-formed head, line by line with CR LF between. Folded lines, zero octets
/// and bare LF do not, and are rejected as well.
struct HeadLayout {
    /// The address at which the next piece must begin.
    private var next: UInt
    private var isGapless = true

    /// Begins with the method, the first piece.
    init(_ method: UnsafeBufferPointer<UInt8>) { next = UInt(bitPattern: method.baseAddress) &+ UInt(method.count) }

    /// Checks the next piece, which must follow after `gap` octets.
    mutating func take(_ piece: UnsafeBufferPointer<UInt8>, after gap: UInt) {
        let start = UInt(bitPattern: piece.baseAddress)
        if start != next &+ gap { isGapless = false }
        next = start &+ UInt(piece.count)
    }

    /// Checks a field: a line of its own, with a colon and optional whitespace between name and value.
    mutating func take(name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>) {
        unsafe take(name, after: 2)
        if UInt(bitPattern: value.baseAddress) <= next { isGapless = false }
        next = UInt(bitPattern: value.baseAddress) &+ UInt(value.count)
    }

    /// Whether the head ends at `end`, with the last piece, its CR LF and an empty line.
    func isWhole(until end: UInt) -> Bool { isGapless && end == next &+ 4 }
}
