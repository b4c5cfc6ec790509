import Bytes

/// What an event is called on pages: `app_id.created` is "App ID created".
enum AuditWords {
    /// By the name it is stored under; one without a text is called by that name.
    static func action(_ name: String) -> Phrase {
        Phrase(in: "console.actions", name)
    }

    /// Of an actor or a target: `app_id` is "App ID".
    static func kind(_ name: String) -> Phrase {
        Phrase(in: "console.audit.kind", name)
    }

    /// A member of before and after: `notificationURL` is "Notification URL".
    static func member(_ name: String) -> String {
        var words = ""
        var wasUpper = true
        for scalar in name.unicodeScalars {
            if scalar.properties.isUppercase, !wasUpper { words += " " }
            words.unicodeScalars.append(scalar == "_" ? " " : scalar)
            wasUpper = scalar.properties.isUppercase
        }
        // Abbreviations stay as they are, plurals of them too.
        let cased = words.split(separator: " ").map { word in
            word.unicodeScalars.prefix(2).allSatisfy(\.properties.isUppercase)
                ? String(word) : word.lowercased()
        }
        let text = cased.joined(separator: " ")
        return text.prefix(1).uppercased() + text.dropFirst()
    }
}
