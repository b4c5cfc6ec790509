import Bytes
import Localization

/// Texts of events on pages, such as "App ID created" for `app_id.created`.
enum AuditMessages {
    /// Text of an action by its stored name; the name itself if there is no text.
    static func action(_ name: String) -> Message { Message(in: "console.actions", name) }

    /// Text of the kind of an actor or a target: "App ID" for `app_id`.
    static func kind(_ name: String) -> Message { Message(in: "console.audit.kind", name) }

    /// Text of a member of `before` and `after`: "Notification URL" for `notificationURL`.
    static func member(_ name: String) -> String {
        var words = ""
        var wasUpper = true
        for scalar in name.unicodeScalars {
            if scalar.properties.isUppercase, !wasUpper { words += " " }
            words.unicodeScalars.append(scalar == "_" ? " " : scalar)
            wasUpper = scalar.properties.isUppercase
        }
        // Abbreviations and their plurals keep their case.
        let cased = words.split(separator: " ").map { word in
            word.unicodeScalars.prefix(2).allSatisfy(\.properties.isUppercase) ? String(word) : word.lowercased()
        }
        let text = cased.joined(separator: " ")
        return text.prefix(1).uppercased() + text.dropFirst()
    }
}
