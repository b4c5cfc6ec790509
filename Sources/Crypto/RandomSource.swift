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

/// The set of characters for a random text.
public struct Alphabet: Sendable {
    let characters: [UInt8]

    /// Number of the 256 byte values that are used: the largest multiple of the alphabet's size.
    let acceptedBytes: Int

    /// `A`–`Z` and `0`–`9`, as in Apple's Team IDs and Key IDs.
    public static let identifier = Alphabet("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")

    /// `a`–`z` and `2`–`7` (RFC 4648 base32 in lowercase): no characters that readers confuse, 5 bits each.
    public static let readable = Alphabet("abcdefghijklmnopqrstuvwxyz234567")

    /// Creates an alphabet of 2 to 128 different ASCII characters.
    public init(_ characters: StaticString) {
        self.characters = Array(characters.description.utf8)
        precondition(characters.isASCII && self.characters.count >= 2, "an alphabet is ASCII, of two or more")
        precondition(Set(self.characters).count == self.characters.count, "a character occurs once")
        acceptedBytes = 256 / self.characters.count * self.characters.count
    }
}
