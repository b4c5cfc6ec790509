import Crypto

/// Code that replaces a lost factor, once.
///
/// Ten characters out of 32: 50 random bits, which cannot be guessed with five tries per interaction.
public struct RecoveryCode: Hashable, Sendable {
    /// Number of codes in a set.
    public static let setCount = 10
    static let length = 10

    /// Lower-case letters and digits, without the dash.
    let characters: String

    init(random: RandomSource) { characters = random.text(Self.length, from: .readable) }

    /// Parses a code as entered: spaces, dashes and capitals are accepted, and so is 0 for o and 1 for l.
    public init?(text: String) {
        guard text.utf8.count <= 40 else { return nil }
        let typed = text.lowercased().utf8.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "-") }
        guard typed.count == Self.length else { return nil }
        let read = typed.map { character in
            switch character {
            case UInt8(ascii: "0"): UInt8(ascii: "o")
            case UInt8(ascii: "1"): UInt8(ascii: "l")
            default: character
            }
        }
        guard read.allSatisfy({ Self.isPart($0) }) else { return nil }
        characters = String(decoding: read, as: UTF8.self)
    }

    /// Code as displayed and entered, in two halves.
    public var text: String { "\(characters.prefix(5))-\(characters.suffix(5))" }

    private static func isPart(_ character: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(character)
            || (UInt8(ascii: "2")...UInt8(ascii: "7")).contains(character)
    }
}
