extension Sequence<UInt8> {
    /// Runs `body` over the octets as one piece of memory; only those that do not lie so are copied.
    ///
    /// The encodings are written over spans, once: a generic one is not specialised for callers in other modules
    /// and asks a witness for every octet, at twenty times the price.
    func withSpan<Result, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let outcome = withContiguousStorageIfAvailable { buffer in
            Swift.Result { () throws(Failure) in try body(unsafe buffer.span) }
        }
        if let outcome { return try outcome.get() }
        return try body(Array(self).span)
    }
}
