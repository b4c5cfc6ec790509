internal import COpenSSL

/// Comparison of secrets in a time that does not depend on where they differ.
public enum ConstantTime {
    /// Whether both contain the same bytes; the timing reveals only a difference in length.
    public static func equal(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
        guard left.count == right.count else { return false }
        guard !left.isEmpty else { return true }
        return unsafe left.withUnsafeBufferPointer { left in
            unsafe right.withUnsafeBufferPointer { right in
                unsafe CRYPTO_memcmp(left.baseAddress, right.baseAddress, left.count) == 0
            }
        }
    }

    /// Whether both contain the same bytes; the timing reveals only a difference in length.
    public static func equal(_ left: [UInt8], _ right: [UInt8]) -> Bool { equal(left.span, right.span) }

    /// Whether both contain the same UTF-8 bytes; the timing reveals only a difference in length.
    public static func equal(_ left: String, _ right: String) -> Bool { equal(left.utf8.span, right.utf8.span) }
}
