import Core

/// The terms by which free-text search finds an event.
///
/// A term is a run of characters between white space, in lower case and without punctuation around it; where it has
/// parts, as in `com.acme.app`, each part is a term too.
public enum EventSearchTerms {
    /// Maximum number of terms of an event; further ones are dropped and cannot be searched for.
    static let limit = 48
    private typealias Scalars = Substring.UnicodeScalarView

    /// Maximum length of a term in octets; a longer one is found by its parts.
    static let longest = 64

    /// Returns the distinct terms of an event: action, target, actor, request, and every text of before and after.
    ///
    /// A completed sign-in has none, because such events are most of the log: its columns are searched instead.
    ///
    /// - Parameter isNamed: whether the names of actor and target are included.
    static func of(_ event: AuditEvent, isNamed: Bool = true) -> [String] {
        guard event.action != AuditEvent.signInCompleted else { return [] }
        var words: [String] = []
        if isNamed {
            append(whole: event.actor.name.unicodeScalars[...], to: &words)
            append(whole: event.target.name.unicodeScalars[...], to: &words)
        }
        append(whole: event.origin.requestID.unicodeScalars[...], to: &words)
        for part in event.action.unicodeScalars.split(separator: ".") { append(whole: part, to: &words) }
        // Parts of a user's id are useless as terms.
        if event.target.kind != "user", event.target.kind != "member" { append(event.target.name, to: &words) }
        for value in [event.after, event.before] { value.map { append($0, to: &words) } }
        return Array(words.prefix(limit))
    }

    /// Splits a search text into at most six terms, all of which an event must have; in the case that was typed.
    public static func ofQuery(_ text: String) -> [String] {
        var (words, typed): ([String], [String]) = ([], [])
        for chunk in chunks(of: text) {
            let count = words.count
            append(whole: chunk, to: &words)
            if words.count > count, let word = trimmed(chunk) { typed.append(word) }
        }
        return Array(typed.prefix(6))
    }

    private static func append(_ value: JSONValue, to words: inout [String]) {
        guard words.count < limit else { return }
        switch value {
        case .string(let text): append(text, to: &words)
        case .array(let values): for value in values { append(value, to: &words) }
        case .object(let members): for name in members.keys.sorted() { members[name].map { append($0, to: &words) } }
        case .null, .boolean, .integer, .number: break
        }
    }

    private static func append(_ text: String, to words: inout [String]) {
        guard words.count < limit else { return }
        for chunk in chunks(of: text) {
            append(whole: chunk, to: &words)
            let parts = chunk.split { !isWordy($0) }
            guard parts.count > 1 else { continue }
            for part in parts.map(Substring.init) where part.utf8.count > 1 {
                append(whole: part.unicodeScalars, to: &words)
            }
        }
    }

    private static func chunks(of text: String) -> [Scalars] {
        text.unicodeScalars.split { $0.properties.isWhitespace }
    }

    private static func append(whole text: Scalars, to words: inout [String]) {
        guard words.count < limit, let word = trimmed(text)?.lowercased() else { return }
        guard word.utf8.count <= longest, !word.unicodeScalars.contains("\0"), !words.contains(word) else { return }
        words.append(word)
    }

    private static func trimmed(_ text: Scalars) -> String? {
        guard let start = text.firstIndex(where: isWordy), let end = text.lastIndex(where: isWordy) else { return nil }
        return String(text[start...end])
    }

    /// Whether a scalar belongs to a term: letters, digits, and marks that belong to the letter before them.
    ///
    /// Tests scalars, because a step back by `Character` costs the length of the run of flags around it.
    private static func isWordy(_ scalar: Unicode.Scalar) -> Bool {
        let properties = scalar.properties
        switch properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: return !properties.isVariationSelector
        default:
            return properties.isAlphabetic || properties.numericType != nil || properties.isJoinControl || scalar == "_"
        }
    }
}
