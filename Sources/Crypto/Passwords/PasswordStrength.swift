internal import CZxcvbn

/// How many guesses it takes somebody who knows how people choose passwords, as zxcvbn estimates it: common
/// passwords, English words and names, keyboard patterns, dates, repetitions and swapped letters cost few guesses.
///
/// zxcvbn keeps nothing between calls and reads constant tables alone, so any thread may call it. Its cost grows with
/// more than the fourth power of the length where neighbours on the keyboard take turns: `12` over and over costs
/// 0.7 ms at 16 octets, 15 ms at 32 and 400 ms at 64. What is given to it is therefore cut to `maximumCount` octets, of
/// which as few repeat themselves as tell that they do; and no loop should wait for it.
public struct PasswordStrength: Sendable, Comparable {
    /// The logarithm of the guesses to base 2.
    public let bits: Double

    /// 10^8 guesses, the third of zxcvbn's four steps ("safely unguessable"): some three weeks of a core against
    /// Argon2id, and centuries against the limits of the sign-in.
    public static let enough = PasswordStrength(bits: 26.6)

    static let maximumCount = 32
    static let longestRun = 8
    /// What repeats itself is estimated by so many octets, twice what is repeated at least.
    static let longestRepetition = 16
    /// Of the words that are passed on, each in octets.
    static let longestWord = 40

    private init(bits: Double) {
        self.bits = bits
    }

    /// Estimates `password`.
    ///
    /// - Parameter words: what a guesser would try for this person beside what everybody uses: names, addresses, the
    ///   service. Lower case; the most likely first.
    public init(of password: String, knowing words: [String] = []) {
        let dictionary = CommonWords.list + words
        let typed = Self.bits(of: password, dictionary)
        // Letters beyond ASCII are read as the Latin ones of the same keys too, since zxcvbn knows octets alone.
        let latin = KeyboardLetters.latin(password)
        bits = latin == password ? typed : min(typed, Self.bits(of: latin, dictionary))
    }

    public static func < (left: PasswordStrength, right: PasswordStrength) -> Bool {
        left.bits < right.bits
    }

    private static func bits(of text: String, _ words: [String]) -> Double {
        let lines = words.filter { !$0.isEmpty && $0.utf8.count <= longestWord }.map(cString)
        // One buffer of all words, and where each begins in it.
        let starts = lines.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1.count) }
        let octets = lines.flatMap { $0 }
        return unsafe octets.withUnsafeBufferPointer { buffer in
            var pointers: [UnsafePointer<CChar>?] = unsafe starts.dropLast().map {
                unsafe buffer.baseAddress.map { [start = $0] base in unsafe base + start }
            }
            unsafe pointers.append(nil)
            return unsafe ZxcvbnMatch(bounded(text), &pointers, nil)
        }
    }

    /// The part that is estimated, without the inside of long runs, as C reads it: up to the first zero.
    private static func bounded(_ text: String) -> [CChar] {
        var octets: [UInt8] = []
        var run = 0
        for octet in text.utf8.prefix(Argon2id.maximumPasswordCount) where octets.count < maximumCount {
            run = octet == octets.last ? run + 1 : 1
            if run <= longestRun { octets.append(octet) }
        }
        return octets.prefix(distinctCount(of: octets)).map { CChar(bitPattern: $0) } + [0]
    }

    /// How many of the octets say all there is to say where all of them are one part over and over.
    private static func distinctCount(of octets: [UInt8]) -> Int {
        for part in stride(from: 1, through: octets.count / 2, by: 1)
        where octets.indices.dropFirst(part).allSatisfy({ octets[$0] == octets[$0 - part] }) {
            return min(octets.count, max(longestRepetition, 2 * part))
        }
        return octets.count
    }

    private static func cString(_ text: String) -> [CChar] {
        text.utf8.map { CChar(bitPattern: $0) } + [0]
    }
}
