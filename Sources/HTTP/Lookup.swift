internal import CCares
import EventLoop

/// One query in progress, as passed to c-ares.
///
/// Ends exactly once: with the response, at its deadline, or by cancellation, whichever is first.
final class Lookup {
    typealias Outcome = Result<[[UInt8]], LookupFailure>

    private var done: ((Outcome) -> Void)?
    var deadline: Timer?

    init(_ done: @escaping (Outcome) -> Void) { self.done = done }

    func end(with outcome: Outcome) {
        deadline?.cancel()
        deadline = nil
        let done = self.done
        self.done = nil
        done?(outcome)
    }

    /// The callback of c-ares, called once for every query, from within calls that the resolver makes on its loop's
    /// thread.
    ///
    /// The context is a retained `Lookup`, which the callback releases.
    static let answered: ares_callback = { context, status, _, message, length in
        guard let context = unsafe context else { return }
        let lookup = unsafe Unmanaged<Lookup>.fromOpaque(context).takeRetainedValue()
        switch status {
        case ARES_SUCCESS: unsafe lookup.end(with: texts(in: message, length))
        case ARES_ENODATA: lookup.end(with: .success([]))
        default: lookup.end(with: .failure(LookupFailure(status)))
        }
    }

    /// Maximum number of records read from a response, more than the TXT records of any name.
    ///
    /// c-ares follows the compressed name of each record through the whole response, however long (RFC 1035 section
    /// 4.1.4).
    private static let recordLimit = 128

    /// Whether a response has at most `recordLimit` records, by the count in its header (RFC 1035 section 4.1.1).
    private static func isBounded(_ message: UnsafeBufferPointer<UInt8>) -> Bool {
        guard message.count >= 12 else { return false }
        return unsafe Int(message[6]) << 8 | Int(message[7]) <= recordLimit
    }

    /// The TXT records of a response, each joined from its strings (RFC 7208 section 3.3).
    private static func texts(in message: UnsafeMutablePointer<UInt8>?, _ length: Int32) -> Outcome {
        guard unsafe isBounded(UnsafeBufferPointer(start: message, count: Int(length))) else {
            return .failure(.malformedAnswer)
        }
        var first: UnsafeMutablePointer<ares_txt_ext>?
        let status = unsafe ares_parse_txt_reply_ext(message, length, &first)
        defer { unsafe ares_free_data(first) }
        // The response contains only records of other types, such as an alias without a target.
        if status == ARES_ENODATA { return .success([]) }
        guard status == ARES_SUCCESS else { return .failure(LookupFailure(status)) }
        var texts: [[UInt8]] = []
        var next = unsafe first
        while let chunk = unsafe next {
            if unsafe chunk.pointee.record_start != 0 || texts.isEmpty { texts.append([]) }
            let octets = unsafe UnsafeBufferPointer(start: chunk.pointee.txt, count: chunk.pointee.length)
            unsafe texts[texts.count - 1].append(contentsOf: octets)
            unsafe next = chunk.pointee.next
        }
        return .success(texts)
    }
}

/// The reason a query failed.
public enum LookupFailure: Error, Hashable, Sendable {
    /// The name does not exist (NXDOMAIN of RFC 1035).
    case noSuchName
    /// The text is not a name: it has an empty or overlong label, or a character that is invalid in a host name.
    case malformedName
    /// No name server answered: the servers are unreachable or report an error (SERVFAIL, REFUSED, NOTIMP, FORMERR).
    case serversFailed
    /// The response is malformed.
    case malformedAnswer
    case deadlinePassed
    /// The calling task was cancelled, or the resolver was closed.
    case cancelled
    /// Any other error, as described by c-ares.
    case other(String)

    /// Creates the failure for a status of c-ares.
    init(_ status: Int32) {
        switch status {
        case ARES_ENOTFOUND: self = .noSuchName
        case ARES_EBADNAME, ARES_EBADQUERY: self = .malformedName
        case ARES_ECONNREFUSED, ARES_ESERVFAIL, ARES_EREFUSED, ARES_ENOTIMP, ARES_EFORMERR: self = .serversFailed
        case ARES_EBADRESP: self = .malformedAnswer
        case ARES_ETIMEOUT: self = .deadlinePassed
        case ARES_ECANCELLED, ARES_EDESTRUCTION: self = .cancelled
        default: self = .other(Self.text(of: status))
        }
    }

    private static func text(of status: Int32) -> String {
        unsafe ares_strerror(status).map { unsafe String(cString: $0) } ?? "error \(status)"
    }
}
