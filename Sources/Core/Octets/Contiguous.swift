extension Sequence<UInt8> {
    /// Calls `body` with the octets as one contiguous span; copies them only if they are not stored contiguously.
    ///
    /// The encoders work on spans because generic code is not specialized for callers in other modules: it would make
    /// a witness call for every octet and take twenty times as long.
    func withSpan<Result, Failure: Error>(_ body: (Span<UInt8>) throws(Failure) -> Result) throws(Failure) -> Result {
        let outcome = withContiguousStorageIfAvailable { buffer in
            Swift.Result { () throws(Failure) in try body(unsafe buffer.span) }
        }
        if let outcome { return try outcome.get() }
        return try body(Array(self).span)
    }
}
