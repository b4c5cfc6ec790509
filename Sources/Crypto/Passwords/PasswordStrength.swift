internal import CZxcvbn

/// Strength of a password: the number of guesses for an attacker who knows how users choose passwords, as zxcvbn
/// estimates it.
///
/// Common passwords, English words and names, keyboard patterns, dates, repetitions, and substituted letters need few
/// guesses. zxcvbn keeps no state between calls and reads only constant tables, so any thread may call it. Its cost
/// grows with more than the fourth power of the length where neighboring keys alternate: a repeated `12` costs 0.7 ms
/// at 16 octets, 15 ms at 32, and 400 ms at 64. Its input is therefore cut to `maximumCount` octets, with repetitions
/// reduced to a length that still shows them; and no event loop should wait for it.
public struct PasswordStrength: Sendable, Comparable {
    /// Base-2 logarithm of the number of guesses.
    public let bits: Double

    /// 10^8 guesses, the third of zxcvbn's four levels ("safely unguessable"): some three weeks of a processor core
    /// against Argon2id, and centuries against the rate limits of the sign-in.
    public static let enough = PasswordStrength(bits: 26.6)

    static let maximumCount = 32
    static let longestRun = 8
    /// Octets passed on of a text that repeats one part, at least twice that part.
    static let longestRepetition = 16
    /// Maximum length in octets of each word that is passed on.
    static let longestWord = 40

    private init(bits: Double) { self.bits = bits }

    /// Estimates `password`.
    ///
    /// - Parameter words: words that an attacker would try for this user beside common ones: names, addresses, the
    ///   service. In lowercase; the most likely first.
    public init(of password: String, knowing words: [String] = []) {
        let dictionary = CommonWords.list + words
        let typed = Self.bits(of: password, dictionary)
        // Letters beyond ASCII are also estimated as the Latin letters of the same keys, since zxcvbn processes only
        // octets.
        let latin = KeyboardLetters.latin(password)
        bits = latin == password ? typed : min(typed, Self.bits(of: latin, dictionary))
    }

    public static func < (left: PasswordStrength, right: PasswordStrength) -> Bool { left.bits < right.bits }

    private static func bits(of text: String, _ words: [String]) -> Double {
        let lines = words.filter { !$0.isEmpty && $0.utf8.count <= longestWord }.map(cString)
        // One buffer of all words, and the offset of each word.
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

    /// The octets to estimate, with long runs shortened, as a C string, which ends at the first NUL.
    private static func bounded(_ text: String) -> [CChar] {
        var octets: [UInt8] = []
        var run = 0
        for octet in text.utf8.prefix(Argon2id.maximumPasswordCount) where octets.count < maximumCount {
            run = octet == octets.last ? run + 1 : 1
            if run <= longestRun { octets.append(octet) }
        }
        return octets.prefix(distinctCount(of: octets)).map { CChar(bitPattern: $0) } + [0]
    }

    /// Number of octets that suffice for the estimate where all of them repeat one part; otherwise all.
    private static func distinctCount(of octets: [UInt8]) -> Int {
        for part in stride(from: 1, through: octets.count / 2, by: 1)
        where octets.indices.dropFirst(part).allSatisfy({ octets[$0] == octets[$0 - part] }) {
            return min(octets.count, max(longestRepetition, 2 * part))
        }
        return octets.count
    }

    private static func cString(_ text: String) -> [CChar] { text.utf8.map { CChar(bitPattern: $0) } + [0] }
}

/// An Argon2id password hash in the PHC string format, as it is stored.
///
/// The format is `$argon2id$v=19$m=19456,t=2,p=1$` salt `$` digest, both in base64 without padding.
public struct PasswordHash: Sendable, Hashable {
    /// The complete hash in PHC string format.
    public let text: String
    /// Memory that the computation needs, in KiB.
    public let memoryKiB: Int
    /// Number of passes over the memory.
    public let passes: Int

    /// Reads a stored hash; nil if it is of another kind, or requires more than 64 MiB or 10 passes.
    ///
    /// Hashing shares the machine with all other work, so a stored hash must not be able to exhaust it.
    public init?(_ text: String) {
        guard text.utf8.count < 128 else { return nil }
        let parts = text.split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count == 6, parts[0].isEmpty, parts[1] == "argon2id", parts[2] == "v=19" else { return nil }
        let costs = parts[3].split(separator: ",", omittingEmptySubsequences: false)
        guard costs.count == 3, costs[2] == "p=1" else { return nil }
        guard let memory = Self.cost("m=", costs[0], in: 8...65_536) else { return nil }
        guard let passes = Self.cost("t=", costs[1], in: 1...10) else { return nil }
        self.text = text
        memoryKiB = memory
        self.passes = passes
    }

    private static func cost(_ name: String, _ text: Substring, in range: ClosedRange<Int>) -> Int? {
        guard text.hasPrefix(name), let value = Int(text.dropFirst(name.count)) else { return nil }
        // The number must have its canonical spelling.
        return range.contains(value) && name + String(value) == text ? value : nil
    }
}

/// Common password words of the other languages of the pages, because the tables of zxcvbn are English.
///
/// The most frequent entries of lists published from leaks, in lowercase, the most common first; Russian words also as
/// typed on an English keyboard.
enum CommonWords {
    static let list = ["pippin"] + german + russian + chinese + indonesian

    private static let german = [
        "passwort", "hallo", "schatz", "kennwort", "geheim", "sommer", "winter", "frühling", "fruhling", "herbst",
        "ficken", "liebe", "ichliebedich", "sonnenschein", "fussball", "fusball", "arschloch", "schalke", "dortmund",
        "bayern", "berlin", "hamburg", "deutschland", "werder", "qwertz", "qwertzuiop", "willkommen", "schnecke",
        "blume", "engel", "mausi", "hase", "baby", "familie", "anmelden", "benutzer", "testen", "computer",
    ]
    private static let russian = [
        "пароль", "gfhjkm", "привет", "ghbdtn", "любовь", "k.,jdm", "йцукен", "солнышко", "cjkysirj", "наташа",
        "yfnfif", "россия", "hjccbz", "москва", "vjcrdf", "зенит", "ptybn", "спартак", "cgfhnfr", "parol", "privet",
        "lubov", "lyubov", "natasha", "samsung", "marina", "котенок", "rjntyjr", "максим", "vfrcbv",
    ]
    private static let chinese = [
        "woaini", "5201314", "1314520", "woaiwojia", "mima", "nihao", "a123456", "wang", "zhang", "aini", "taobao",
        "密码", "我爱你", "你好", "iloveyou1314", "qq123456", "123456abc", "woshishui", "caonima", "zhongguo",
    ]
    private static let indonesian = [
        "rahasia", "sayang", "sayangku", "cinta", "cintaku", "katasandi", "sandi", "indonesia", "jakarta", "bandung",
        "bismillah", "alhamdulillah", "persib", "garuda", "merdeka", "kucing", "sukses", "anjing", "akucintakamu",
        "semangat",
    ]
}

/// Mapping of letters beyond ASCII to Latin letters.
enum KeyboardLetters {
    /// The text with Cyrillic letters as the keys of the Russian keyboard, and accented letters without their marks.
    static func latin(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 >= 0x80 }) else { return text }
        return String(text.lowercased().map { letters[$0] ?? $0 })
    }

    private static let letters: [Character: Character] = Dictionary(
        zip(
            "йцукенгшщзхъфывапролджэячсмитьбюёäöüßáàâãåéèêëíìîïóòôõúùûçñ",
            "qwertyuiop[]asdfghjkl;'zxcvbnm,.`aousaaaaaeeeeiiiioooouuucn"), uniquingKeysWith: { first, _ in first })
}
