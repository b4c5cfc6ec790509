internal import COpenSSL

/// A secret key of 256 bits, wiped from memory when released.
@safe public final class SymmetricKey: Sendable {
    /// Length of a key in bytes.
    public static let byteCount = 32

    // Written in init and wiped in deinit, only read between.
    private nonisolated(unsafe) let storage: UnsafeMutableBufferPointer<UInt8>

    /// Creates a key from exactly 32 bytes; nil for any other length.
    public convenience init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.init(copying: bytes)
    }

    /// Creates a random key.
    public convenience init(random: RandomSource) { self.init(copying: random.bytes(Self.byteCount)) }

    init(copying bytes: [UInt8]) {
        let storage = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: Self.byteCount)
        precondition(bytes.count == Self.byteCount)
        _ = unsafe storage.initialize(fromContentsOf: bytes)
        unsafe self.storage = storage
    }

    deinit {
        unsafe OPENSSL_cleanse(storage.baseAddress, storage.count)
        unsafe storage.deallocate()
    }

    /// Calls `body` with the bytes in place; the caller must protect any copies that `body` makes.
    public func withSpan<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
        let bytes = unsafe UnsafeBufferPointer(storage)
        return body(unsafe bytes.span)
    }
}
