import Bytes
public import Domain

/// What a new password of one person has to be.
public struct PasswordRule: Sendable {
    /// For people of a team (NIST SP 800-63B section 5.1.1.1), and for accounts of the console, which reach every key
    /// and person of their teams.
    public static let minimumLength = 8
    public static let minimumLengthOfConsole = 12

    /// The fewest Unicode scalars.
    public let minimumLength: Int
    /// What somebody would try first who knows whose password it is; lower case, and few.
    let words: [String]

    /// The longest part of an address or a name that is looked for, and how many are.
    private static let longestWord = 40
    private static let mostWords = 40

    /// - Parameters:
    ///   - team: whose account it is; those of the system team are accounts of the console. Nil for a team whose id is
    ///     not known yet.
    ///   - names: of the team and the app, as the person reads them.
    public init(
        in team: TeamID?,
        email: EmailAddress?,
        login: LoginName? = nil,
        name: PersonName = .none,
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

    /// Whether nothing but digits and signs is left beside the words: however long, they are all known.
    func isMadeOfWords(_ text: String) -> Bool {
        var rest = Array(text.lowercased().unicodeScalars)[...]
        var letters = 0
        var hits = 0
        // From the longest, which may have a shorter one in it.
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

    /// The text and its parts, of three characters at least.
    private static func words(_ text: String) -> [String] {
        let folded = text.cut(toOctets: 4 * longestWord).lowercased()
        let parts = folded.unicodeScalars.split { !isOfWord($0) }.map { String($0) }
        return ([folded, parts.joined()] + parts).filter {
            (3...longestWord).contains($0.unicodeScalars.count)
        }
    }

    /// Letters, digits, and the marks that letters are made of.
    private static func isOfWord(_ scalar: Unicode.Scalar) -> Bool {
        let properties = scalar.properties
        return properties.isAlphabetic || properties.numericType != nil
            || properties.canonicalCombiningClass != .notReordered
    }
}
