extension [UInt8] {
    /// Appends bytes in one copy, without counting a reference as a slice of an array would.
    mutating func append(copying bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }
}
