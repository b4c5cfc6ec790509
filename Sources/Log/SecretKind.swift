import Bytes

/// The kinds of secrets that Pippin issues or receives, by the shapes that give them away.
///
/// This is the one list of them: the log and the inspector withhold every text in which one stands, and a test feeds
/// each kind to both. A new kind of secret gets its case here.
public enum SecretKind: CaseIterable, Sendable {
    /// A JWT: identity tokens, client secrets, Apple's notices.
    case webToken
    /// A key or a certificate as PEM, or the octets of a private key in base64 (RFC 5958, RFC 7468).
    case key
    /// A code or a refresh token, lasting or rotating, of ours or of Apple's.
    case opaqueToken
    /// An access token, a session, the token of a link, a `state`: random octets in base64url.
    case randomToken
    /// The receipt of a provider's answer, the cookie of a browser, the `state` of a trial: 16 random octets in base64url.
    /// A sign-in's id has a character more, the token of a form and the mark of a known browser two octets.
    case shortRandomToken
    /// The secret of a master key, in hexadecimal digits.
    case hexadecimalKey
    /// The secret of an authenticator app (RFC 6238), in base 32.
    case oneTimeSecret
    /// What is stored in place of a password.
    case passwordHash
    /// The id of a receipt, which opens it. Ids of jobs and notices look alike.
    case receipt

    /// All of them: what no page shows.
    public static let all = allCases

    /// Those that no line of the log may hold: ids of jobs, which it must name, have the shape of a receipt's.
    static let inLog = allCases.filter { $0 != .receipt }

    /// Whether anything of these kinds stands in `text`, whatever stands around it.
    ///
    /// Octets are looked at, once: to `contains`, a mark behind a token would make it another text.
    public static func isFound(in text: String, among kinds: [SecretKind] = all) -> Bool {
        let octets = text.utf8.span
        guard octets.count >= shortest else { return false }
        var run = Run()
        for index in octets.indices {
            let octet = octets[index]
            if marks.contains(where: { $0.isAt(index, of: octets) && kinds.contains($0.kind) }) {
                return true
            }
            if run.take(octet) { continue }
            if run.looks(like: kinds), !isLabel(run, before: index, of: octets) { return true }
            run = Run()
        }
        return run.looks(like: kinds) && !isLabel(run, before: octets.count, of: octets)
    }

    /// Whether a run that ends there is a word in the name of an app, such as `com.acme.TimetablesOfAllTrams2`.
    ///
    /// Neither is enough: words change between capitals, small letters and digits less often than random characters do, yet
    /// some of those do so as seldom; and a token may stand behind a full stop.
    private static func isLabel(_ run: Run, before end: Int, of octets: Span<UInt8>) -> Bool {
        guard run.isLikeWords else { return false }
        var start = end - run.count
        while start > 0, end - start <= longestName, isOfName(octets[start - 1]) { start -= 1 }
        var stop = end
        while stop < octets.count, stop - start <= longestName, isOfName(octets[stop]) { stop += 1 }
        // Nor is more looked at than that: each word of a long text would have all of it walked through.
        guard stop - start <= longestName else { return false }
        var labels = 1
        var first = 0
        for index in start..<stop {
            if octets[index] == UInt8(ascii: ".") {
                labels += 1
            } else if labels == 1 {
                guard Run.kind(of: octets[index]) == .small else { return false }
                first += 1
            }
        }
        return labels > 2 && first > 1
    }

    /// Whether the octet may stand in a reverse domain name.
    private static func isOfName(_ octet: UInt8) -> Bool {
        Run.kind(of: octet) != .sign || octet == UInt8(ascii: ".") || octet == UInt8(ascii: "-")
    }

    /// Octets of the longest name of an app, as of a host (RFC 1035 section 2.3.4).
    private static let longestName = 255

    /// Octets of the shortest secret there is.
    private static let shortest = 20

    private static let marks = [
        Mark(.webToken, "eyJ"), Mark(.key, "-----BEGIN"), Mark(.key, "MIGHAgEA"), Mark(.key, "MIGTAgEA"),
        Mark(.key, "IBADANBgkqhkiG9w0"), Mark(.opaqueToken, ".0.mr"), Mark(.passwordHash, "$argon2"),
    ]
}

/// Octets that stand in every secret of a kind.
private struct Mark: Sendable {
    let kind: SecretKind
    private let first: UInt8
    private let octets: [UInt8]

    init(_ kind: SecretKind, _ text: StaticString) {
        self.kind = kind
        octets = Array(text.description.utf8)
        first = octets[0]
    }

    func isAt(_ start: Int, of text: Span<UInt8>) -> Bool {
        guard text[start] == first, text.count - start >= octets.count else { return false }
        for index in octets.indices where text[start + index] != octets[index] { return false }
        return true
    }
}

/// Characters of base64url in a row, and which there are among them.
private struct Run {
    private(set) var count = 0
    /// How often a capital, a small letter, a digit or a sign follows one of another kind.
    private var changes = 0
    private var kind = Kind.none
    private var capitals = 0
    private var smalls = 0
    private var digits = 0
    private var hexadecimal = 0
    /// Of the alphabets of base 32: the letters, and the digits from 2 to 7.
    private var base32 = 0

    enum Kind { case none, capital, small, digit, sign }

    static func kind(of octet: UInt8) -> Kind {
        switch octet {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): .capital
        case UInt8(ascii: "a")...UInt8(ascii: "z"): .small
        case UInt8(ascii: "0")...UInt8(ascii: "9"): .digit
        default: .sign
        }
    }

    /// Whether it changes as seldom as words do that are written together.
    var isLikeWords: Bool { (22...24).contains(count) && changes < count / 2 }

    /// Counts the character; false for one of another alphabet, which ends the run.
    mutating func take(_ octet: UInt8) -> Bool {
        let kind = Self.kind(of: octet)
        switch kind {
        case .capital: capitals += 1
        case .small: smalls += 1
        case .digit: digits += 1
        case .sign where octet == UInt8(ascii: "-") || octet == UInt8(ascii: "_"): break
        case .sign, .none: return false
        }
        if kind != self.kind, count > 0 { changes += 1 }
        self.kind = kind
        count += 1
        switch octet {
        case UInt8(ascii: "2")...UInt8(ascii: "7"):
            base32 += 1
            hexadecimal += 1
        case UInt8(ascii: "A")...UInt8(ascii: "F"), UInt8(ascii: "a")...UInt8(ascii: "f"):
            base32 += 1
            hexadecimal += 1
        case UInt8(ascii: "0")...UInt8(ascii: "9"): hexadecimal += 1
        case UInt8(ascii: "G")...UInt8(ascii: "Z"), UInt8(ascii: "g")...UInt8(ascii: "z"): base32 += 1
        default: break
        }
        return true
    }

    func looks(like kinds: [SecretKind]) -> Bool {
        count >= 22 && kinds.contains { looks(like: $0) }
    }

    private func looks(like kind: SecretKind) -> Bool {
        switch kind {
        case .randomToken:
            capitals > 2 && smalls > 2 && (count >= 32 && digits > 0 || count >= 40 && capitals > 7)
        // A word of so many letters has few capitals.
        case .shortRandomToken:
            (22...24).contains(count) && capitals > 0 && smalls > 0 && (digits > 0 || capitals > 5)
        case .hexadecimalKey: count >= 64 && hexadecimal == count
        case .oneTimeSecret: count >= 32 && base32 == count && smalls == 0
        case .receipt: count == 26 && base32 == count && capitals == 0
        case .webToken, .key, .opaqueToken, .passwordHash: false
        }
    }
}
