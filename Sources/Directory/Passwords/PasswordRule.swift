import Core
public import Platform

/// Requirements for a new password of one user.
public struct PasswordRule: Sendable {
    /// Minimum lengths: for users of a team (NIST SP 800-63B section 5.1.1.1), and for console accounts, which have
    /// access to all keys and users of their teams.
    public static let minimumLength = 8
    public static let minimumLengthOfConsole = 12

    /// Minimum number of Unicode scalars.
    public let minimumLength: Int
    /// Words about the user that an attacker would try first; in lower case, at most `mostWords`.
    let words: [String]

    /// Longest part of an address or a name that is looked for, and the most parts.
    private static let longestWord = 40
    private static let mostWords = 40

    /// - Parameters:
    ///   - team: team of the account, the system team for console accounts; nil for a team whose ID is not known yet.
    ///   - names: names of the team and the app, as displayed to the user.
    public init(
        in team: TeamID?, email: EmailAddress?, login: LoginName? = nil, name: PersonName = .none,
        around names: [String] = []
    ) {
        minimumLength = team == .system ? Self.minimumLengthOfConsole : Self.minimumLength
        let texts = [email?.rawValue, login?.rawValue, name.given, name.family].compactMap { $0 } + names
        var words: [String] = []
        for word in texts.flatMap(Self.words) where words.count < Self.mostWords && !words.contains(word) {
            words.append(word)
        }
        self.words = words
    }

    /// Whether at most three letters are left besides the known words, however long the text is.
    func isMadeOfWords(_ text: String) -> Bool {
        var rest = Array(text.lowercased().unicodeScalars)[...]
        var letters = 0
        var hits = 0
        // Longest first, because a word may contain a shorter one.
        let longestFirst = words.map { Array($0.unicodeScalars) }.sorted { $0.count > $1.count }
        while let first = rest.first {
            if let word = longestFirst.first(where: { rest.starts(with: $0) }) {
                rest = rest.dropFirst(word.count)
                hits += 1
            } else {
                if first.properties.isAlphabetic { letters += 1 }
                rest = rest.dropFirst()
            }
        }
        return hits > 0 && letters < 4
    }

    /// The lower-cased text, its parts and its parts joined, as far as they have 3 to `longestWord` scalars.
    private static func words(_ text: String) -> [String] {
        let folded = text.cut(toOctets: 4 * longestWord).lowercased()
        let parts = folded.unicodeScalars.split { !isOfWord($0) }.map { String($0) }
        return ([folded, parts.joined()] + parts).filter { (3...longestWord).contains($0.unicodeScalars.count) }
    }

    /// Whether the scalar is a letter, a digit or a combining mark.
    private static func isOfWord(_ scalar: Unicode.Scalar) -> Bool {
        let properties = scalar.properties
        return properties.isAlphabetic || properties.numericType != nil
            || properties.canonicalCombiningClass != .notReordered
    }
}
