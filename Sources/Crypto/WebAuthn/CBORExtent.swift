/// Checks that CBOR declares no more data than it contains.
///
/// libcbor allocates memory for every element that an array or a map declares, before it reads the first: a few octets
/// could allocate gigabytes. So untrusted CBOR is scanned first, without allocation.
enum CBORExtent {
    /// Maximum nesting: the key of a registration is one map, extensions are a map of maps.
    private static let deepest = 8

    /// Whether the octets are complete items, one after the other, of definite length (RFC 8949 section 3; CTAP 2.1
    /// section 8 allows no other).
    static func isWhole(_ octets: ArraySlice<UInt8>) -> Bool {
        var rest = octets
        while !rest.isEmpty { guard skip(&rest, depth: 0) else { return false } }
        return true
    }

    private static func skip(_ rest: inout ArraySlice<UInt8>, depth: Int) -> Bool {
        guard depth < deepest, let first = rest.popFirst(), let argument = argument(first & 0x1F, &rest) else {
            return false
        }
        switch first >> 5 {
        case 0, 1, 7: return true
        case 2, 3:
            guard let count = Int(exactly: argument), count <= rest.count else { return false }
            rest = rest.dropFirst(count)
            return true
        case 4: return skip(argument, each: 1, &rest, depth: depth)
        case 5: return skip(argument, each: 2, &rest, depth: depth)
        default: return skip(&rest, depth: depth + 1)
        }
    }

    /// Skips an array's or a map's declared elements, each of which takes at least one octet.
    private static func skip(_ argument: UInt64, each items: Int, _ rest: inout ArraySlice<UInt8>, depth: Int) -> Bool {
        guard let count = Int(exactly: argument), count <= rest.count / items else { return false }
        for _ in 0..<(items * count) { guard skip(&rest, depth: depth + 1) else { return false } }
        return true
    }

    /// The argument of an item after its first octet; nil for an indefinite length and for truncated data.
    private static func argument(_ kind: UInt8, _ rest: inout ArraySlice<UInt8>) -> UInt64? {
        guard kind >= 24 else { return UInt64(kind) }
        guard kind <= 27 else { return nil }
        let count = 1 << Int(kind - 24)
        guard rest.count >= count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
