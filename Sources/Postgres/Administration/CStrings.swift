/// Null-terminated arrays of C strings, as `exec` and libpq take them.
enum CStrings {
    /// Calls `body` with pointers to copies that are valid during the call.
    static func withPointers<Result>(to strings: [String?], _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Result)
        -> Result
    {
        var bytes: [CChar] = []
        let offsets = strings.map { string -> Int? in
            guard let string else { return nil }
            defer { bytes += string.utf8.map { CChar(bitPattern: $0) } + [0] }
            return bytes.count
        }
        return unsafe bytes.withUnsafeBufferPointer { bytes in
            let pointers = unsafe offsets.map { offset in
                unsafe offset.flatMap { unsafe bytes.baseAddress?.advanced(by: $0) }
            }
            return unsafe (pointers + [nil]).withUnsafeBufferPointer { unsafe body($0.baseAddress) }
        }
    }
}
