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
