internal import CMicroHTTPD
internal import Glibc

/// The header fields of a connection's current request, in libmicrohttpd's memory.
///
/// Valid from the first callback for a request until its completion.
@safe struct RequestHead {
    private let handle: OpaquePointer

    init(_ handle: OpaquePointer) { unsafe self.handle = handle }

    /// Octets of the request line and the header fields.
    var size: Int { unsafe pippin_mhd_head_size(handle) }

    /// The first value of a field.
    func value(of name: HeaderName) -> String? {
        var size = 0
        let literal = unsafe UnsafeRawPointer(name.literal.utf8Start).assumingMemoryBound(to: CChar.self)
        let found = unsafe pippin_mhd_field(handle, literal, name.literal.utf8CodeUnitCount, &size)
        guard let found = unsafe found else { return nil }
        return unsafe String(fieldValue: ASCII.trim(octets(found, size)))
    }

    /// The values of all fields of that name, in the order received.
    func values(of name: HeaderName) -> [String] {
        var search = Search(name: name)
        unsafe withUnsafeMutablePointer(to: &search) { search in
            unsafe pippin_mhd_each_field(handle, Self.takeValue, search)
        }
        return search.values
    }

    /// A copy of all fields.
    func copy() -> HeaderBlock {
        var block = HeaderBlock()
        unsafe withUnsafeMutablePointer(to: &block) { block in
            unsafe pippin_mhd_each_field(handle, Self.copyField, block)
        }
        return block
    }

    /// Reads the whole head once; returns the framing its fields declare, malformed when its layout is (`HeadLayout`).
    func inspect(_ line: RequestLine, _ rule: HostRule?) -> Framing {
        var inspection = unsafe Inspection(layout: HeadLayout(line.method), framing: Framing(rule))
        unsafe inspection.layout.take(line.target, after: 1)
        unsafe inspection.layout.take(line.version, after: 1)
        unsafe withUnsafeMutablePointer(to: &inspection) { inspection in
            unsafe pippin_mhd_each_field(handle, Self.inspectField, inspection)
        }
        let end = unsafe UInt(bitPattern: line.method.baseAddress) &+ UInt(size)
        if !inspection.layout.isWhole(until: end) { inspection.framing.isMalformed = true }
        return inspection.framing
    }

    private struct Inspection {
        var layout: HeadLayout
        var framing: Framing
    }

    private struct Search {
        let name: HeaderName
        var values: [String] = []
    }

    private static let takeValue: MHD_KeyValueIteratorN = { context, _, name, nameSize, value, valueSize in
        guard let search = unsafe context?.assumingMemoryBound(to: Search.self) else { return pippin_mhd_no }
        if unsafe search.pointee.name.matches(octets(name, nameSize).span) {
            unsafe search.pointee.values.append(String(fieldValue: ASCII.trim(octets(value, valueSize))))
        }
        return pippin_mhd_yes
    }

    private static let copyField: MHD_KeyValueIteratorN = { context, _, name, nameSize, value, valueSize in
        guard let block = unsafe context?.assumingMemoryBound(to: HeaderBlock.self) else { return pippin_mhd_no }
        unsafe block.pointee.append(name: octets(name, nameSize), value: octets(value, valueSize))
        return pippin_mhd_yes
    }

    private static let inspectField: MHD_KeyValueIteratorN = { context, _, name, nameSize, value, valueSize in
        guard let inspection = unsafe context?.assumingMemoryBound(to: Inspection.self) else { return pippin_mhd_no }
        let name = unsafe octets(name, nameSize)
        let value = unsafe octets(value, valueSize)
        unsafe inspection.pointee.layout.take(name: name, value: value)
        unsafe inspection.pointee.framing.inspect(name: name.span, value: value.span)
        return pippin_mhd_yes
    }
}

/// The request line as split by libmicrohttpd.
@safe struct RequestLine {
    let method: UnsafeBufferPointer<UInt8>
    let target: UnsafeBufferPointer<UInt8>
    let version: UnsafeBufferPointer<UInt8>

    init(method: UnsafePointer<CChar>, target: UnsafePointer<CChar>, targetSize: Int, version: UnsafePointer<CChar>) {
        unsafe self.method = octets(method, strlen(method))
        // Not by strlen, because libmicrohttpd has since cut off the query with a zero octet.
        unsafe self.target = octets(target, targetSize)
        unsafe self.version = octets(version, strlen(version))
    }
}

private func octets(_ start: UnsafePointer<CChar>?, _ count: Int) -> UnsafeBufferPointer<UInt8> {
    guard let start = unsafe start else { return unsafe UnsafeBufferPointer(start: nil, count: 0) }
    let bytes = unsafe UnsafeRawPointer(start).assumingMemoryBound(to: UInt8.self)
    return unsafe UnsafeBufferPointer(start: bytes, count: count)
}

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
