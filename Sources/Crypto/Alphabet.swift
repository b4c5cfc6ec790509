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
