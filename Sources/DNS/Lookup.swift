internal import CCares
internal import EventLoop

/// One question on its way, as c-ares sees it.
///
/// It ends once: with the answer, its deadline or its cancellation, whichever comes first.
final class Lookup {
    typealias Outcome = Result<[[UInt8]], LookupFailure>

    private var done: ((Outcome) -> Void)?
    var deadline: Timer?

    init(_ done: @escaping (Outcome) -> Void) {
        self.done = done
    }

    func end(with outcome: Outcome) {
        deadline?.cancel()
        deadline = nil
        let done = self.done
        self.done = nil
        done?(outcome)
    }

    /// What c-ares calls, once for every question, from within calls that the resolver makes on its loop's thread.
    ///
    /// The context is a retained look-up, taken over here.
    static let answered: ares_callback = { context, status, _, message, length in
        guard let context = unsafe context else { return }
        let lookup = unsafe Unmanaged<Lookup>.fromOpaque(context).takeRetainedValue()
        switch status {
        case ARES_SUCCESS: unsafe lookup.end(with: texts(in: message, length))
        case ARES_ENODATA: lookup.end(with: .success([]))
        default: lookup.end(with: .failure(LookupFailure(status)))
        }
    }

    /// The texts of the answer's TXT records, each joined from its strings (RFC 7208 section 3.3).
    private static func texts(in message: UnsafeMutablePointer<UInt8>?, _ length: Int32) -> Outcome {
        var first: UnsafeMutablePointer<ares_txt_ext>?
        let status = unsafe ares_parse_txt_reply_ext(message, length, &first)
        defer { unsafe ares_free_data(first) }
        // Records of other kinds alone, such as an alias that leads nowhere.
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
