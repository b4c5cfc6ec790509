/// Framing of a message by its header fields: where it ends, and whether two parsers could disagree about that.
///
/// libmicrohttpd takes the first of several `Content-Length` fields and lets `Transfer-Encoding` override it; another
/// server in front may do otherwise, and then a second request hides in the first (RFC 9112 section 11.2). Such
/// messages are rejected and the connection is closed.
struct Framing {
    private var hosts = 0
    private var lengths = 0
    private var codings = 0
    /// The hosts that are accepted; nil accepts all.
    let rule: HostRule?
    /// Whether the `Host` field names a host that is not accepted.
    private(set) var isMisdirected = false
    /// Whether the head or one of its fields is malformed.
    var isMalformed = false
    /// Declared length of the body in octets; nil when the body is chunked.
    private(set) var contentLength: Int? = 0
    /// Whether the client waits for 100 (Continue) before it sends the body (RFC 9110 section 10.1.1).
    private(set) var expectsContinue = false

    init(_ rule: HostRule? = nil) { self.rule = rule }

    var hasBody: Bool { contentLength != 0 }

    /// Whether the head must be answered with 400.
    func isRefused(isHTTP11: Bool) -> Bool {
        let isAmbiguous = lengths > 1 || codings > 1 || (lengths == 1 && codings == 1)
        // RFC 9112 section 6.1: the framing of a chunked HTTP/1.0 message is faulty.
        let isOutOfVersion = codings > 0 && !isHTTP11
        return isMalformed || isAmbiguous || isOutOfVersion || hosts > 1 || (isHTTP11 && hosts == 0)
    }

    mutating func inspect(name: Span<UInt8>, value: Span<UInt8>) {
        guard Self.isName(name) && Self.isValue(value) else {
            isMalformed = true
            return
        }
        switch name.count {
        case 4 where HeaderName.host.matches(name):
            hosts += 1
            if let rule, !rule.admits(value) { isMisdirected = true }
        case 6 where HeaderName.expect.matches(name): expectsContinue = HeaderName("100-continue").matches(value)
        case 14 where HeaderName.contentLength.matches(name): readLength(value)
        case 17 where HeaderName.transferEncoding.matches(name):
            codings += 1
            contentLength = nil
            if !HeaderName("chunked").matches(value) { isMalformed = true }
        default: break
        }
    }

    private static func isName(_ name: Span<UInt8>) -> Bool {
        for index in name.indices where !ASCII.isToken(name[index]) { return false }
        return !name.isEmpty
    }

    private static func isValue(_ value: Span<UInt8>) -> Bool {
        for index in value.indices {
            let byte = value[index]
            guard byte >= 0x20 && byte != 0x7F || byte == UInt8(ascii: "\t") else { return false }
        }
        return true
    }

    private mutating func readLength(_ value: Span<UInt8>) {
        lengths += 1
        var length = 0
        for index in value.indices {
            let digit = Int(value[index]) - Int(UInt8(ascii: "0"))
            guard (0...9).contains(digit), length < Int.max / 16 else {
                isMalformed = true
                return
            }
            length = length * 10 + digit
        }
        if value.isEmpty { isMalformed = true }
        if contentLength != nil { contentLength = length }
    }
}
