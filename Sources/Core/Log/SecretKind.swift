/// The kinds of secrets that Pippin issues or receives, recognized by their shape.
///
/// This is the only list of them: the log and the inspector withhold every text that contains one, and a test passes
/// each kind to both. A new kind of secret needs a case here.
public enum SecretKind: CaseIterable, Sendable {
    /// A JWT: an ID token, a client secret, a notification from Apple.
    case webToken
    /// A key or a certificate in PEM, or the octets of a private key in base64 (RFC 5958, RFC 7468).
    case key
    /// An authorization code or a refresh token, lasting or rotating, issued by Pippin or by Apple.
    case opaqueToken
    /// An access token, a session token, the token of a link, a `state`: random octets in base64url.
    case randomToken
    /// The receipt of an upstream response, a browser cookie, the `state` of a test sign-in: 16 random octets in
    /// base64url.
    ///
    /// The ID of an interaction is one character longer, a form token and the marker of a known browser two octets.
    case shortRandomToken
    /// A master key, in hexadecimal digits.
    case hexadecimalKey
    /// The secret of an authenticator app (RFC 6238), in base32.
    case oneTimeSecret
    /// The stored hash of a password.
    case passwordHash
    /// The ID of a receipt, which grants access to it; IDs of jobs and notifications have the same shape.
    case receipt

    /// All kinds, none of which a page may show.
    public static let all = allCases

    /// The kinds that no log line may contain: without receipts, because the job IDs that a log must name have their
    /// shape.
    static let inLog = allCases.filter { $0 != .receipt }

    /// Whether `text` contains a secret of one of `kinds`, whatever text surrounds it.
    ///
    /// The octets are scanned once, because `contains` misses a token that is followed by a combining mark.
    public static func isFound(in text: String, among kinds: [SecretKind] = all) -> Bool {
        let octets = text.utf8.span
        guard octets.count >= shortest else { return false }
        var run = Run()
        for index in octets.indices {
            let octet = octets[index]
            if marks.contains(where: { $0.isAt(index, of: octets) && kinds.contains($0.kind) }) { return true }
            if run.take(octet) { continue }
            if run.looks(like: kinds), !isLabel(run, before: index, of: octets) { return true }
            run = Run()
        }
        return run.looks(like: kinds) && !isLabel(run, before: octets.count, of: octets)
    }

    /// Whether the run that ends at `end` is a label of an app identifier, such as `com.acme.TimetablesOfAllTrams2`.
    ///
    /// Both conditions are required: words change between uppercase, lowercase, and digits less often than random
    /// characters do, but some random texts change as rarely; and a token may follow a full stop.
    private static func isLabel(_ run: Run, before end: Int, of octets: Span<UInt8>) -> Bool {
        guard run.isLikeWords else { return false }
        var start = end - run.count
        while start > 0, end - start <= longestName, isOfName(octets[start - 1]) { start -= 1 }
        var stop = end
        while stop < octets.count, stop - start <= longestName, isOfName(octets[stop]) { stop += 1 }
        // The scan is limited, because otherwise each word of a long text would cause a scan of all of it.
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

    /// Whether the octet is valid in a reverse domain name.
    private static func isOfName(_ octet: UInt8) -> Bool {
        Run.kind(of: octet) != .sign || octet == UInt8(ascii: ".") || octet == UInt8(ascii: "-")
    }

    /// Maximum length of an app identifier in octets, the same as of a host name (RFC 1035 section 2.3.4).
    private static let longestName = 255

    /// Length of the shortest secret in octets.
    private static let shortest = 20

    private static let marks = [
        Mark(.webToken, "eyJ"), Mark(.key, "-----BEGIN"), Mark(.key, "MIGHAgEA"), Mark(.key, "MIGTAgEA"),
        Mark(.key, "IBADANBgkqhkiG9w0"), Mark(.opaqueToken, ".0.mr"), Mark(.passwordHash, "$argon2"),
    ]
}

/// An octet sequence that identifies a secret of a kind.
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

/// A run of base64url characters, with the number of characters of each class.
private struct Run {
    private(set) var count = 0
    /// Number of changes between uppercase letters, lowercase letters, digits, and signs.
    private var changes = 0
    private var kind = Kind.none
    private var capitals = 0
    private var smalls = 0
    private var digits = 0
    private var hexadecimal = 0
    /// Number of base32 characters in either case: letters, and digits from 2 to 7.
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

    /// Whether the class of character changes as rarely as in words written together.
    var isLikeWords: Bool { (22...24).contains(count) && changes < count / 2 }

    /// Counts a character of the run; returns false for one outside the alphabet, which ends the run.
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

    func looks(like kinds: [SecretKind]) -> Bool { count >= 22 && kinds.contains { looks(like: $0) } }

    private func looks(like kind: SecretKind) -> Bool {
        switch kind {
        case .randomToken: capitals > 2 && smalls > 2 && (count >= 32 && digits > 0 || count >= 40 && capitals > 7)
        // Without a digit, more than five capitals are required, because a word of this length has few.
        case .shortRandomToken: (22...24).contains(count) && capitals > 0 && smalls > 0 && (digits > 0 || capitals > 5)
        case .hexadecimalKey: count >= 64 && hexadecimal == count
        case .oneTimeSecret: count >= 32 && base32 == count && smalls == 0
        case .receipt: count == 26 && base32 == count && capitals == 0
        case .webToken, .key, .opaqueToken, .passwordHash: false
        }
    }
}
