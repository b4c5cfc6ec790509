internal import COpenSSL

/// A source of random bytes: the system in production, a counter in tests.
public struct RandomSource: Sendable {
    private let produce: @Sendable (_ count: Int) -> [UInt8]

    /// OpenSSL's generator, one per thread, seeded and reseeded from the kernel.
    public static let system = RandomSource(produce: systemBytes)

    /// Creates a source that calls `produce` for each request; it must return exactly the requested number of bytes.
    public init(produce: @escaping @Sendable (_ count: Int) -> [UInt8]) { self.produce = produce }

    /// `count` random bytes.
    public func bytes(_ count: Int) -> [UInt8] {
        let bytes = produce(count)
        precondition(bytes.count == count, "a random source must return what it was asked for")
        return bytes
    }

    /// `count` characters of `alphabet`, each equally likely.
    ///
    /// Bytes beyond the largest multiple of the alphabet's size are discarded, because taking them modulo the size
    /// would favor the first characters.
    public func text(_ count: Int, from alphabet: Alphabet) -> String {
        var characters: [UInt8] = []
        characters.reserveCapacity(count)
        while characters.count < count {
            for byte in bytes(count - characters.count) where Int(byte) < alphabet.acceptedBytes {
                characters.append(alphabet.characters[Int(byte) % alphabet.characters.count])
            }
        }
        return String(decoding: characters, as: UTF8.self)
    }

    private static func systemBytes(_ count: Int) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            // Without randomness every token is guessable, so a failure traps instead of being returned.
            unsafe OpenSSL.require(RAND_bytes(buffer.baseAddress, Int32(count)), "RAND_bytes")
            initialized = count
        }
    }
}
