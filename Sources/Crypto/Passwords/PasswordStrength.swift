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

/// Common password words of the other languages of the pages, because the tables of zxcvbn are English.
///
/// The most frequent entries of lists published from leaks, in lowercase, the most common first; Russian words also as
/// typed on an English keyboard.
private enum CommonWords {
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
private enum KeyboardLetters {
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
