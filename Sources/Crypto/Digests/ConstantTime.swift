internal import COpenSSL

/// Comparison of secrets that takes the same time wherever they differ.
public enum ConstantTime {
    /// Whether both hold the same bytes; only a difference in length shows in the time taken.
    public static func equal(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
        guard left.count == right.count else { return false }
        guard !left.isEmpty else { return true }
        return unsafe left.withUnsafeBufferPointer { left in
            unsafe right.withUnsafeBufferPointer { right in
                unsafe CRYPTO_memcmp(left.baseAddress, right.baseAddress, left.count) == 0
            }
        }
    }

    /// Whether both hold the same bytes; only a difference in length shows in the time taken.
    public static func equal(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        equal(left.span, right.span)
    }

    /// Whether both have the same UTF-8 bytes; only a difference in length shows in the time taken.
    public static func equal(_ left: String, _ right: String) -> Bool {
        equal(left.utf8.span, right.utf8.span)
    }
}
