/// What an event is called on pages: `app_id.created` is "App ID created".
enum AuditWords {
    private static let resources = [
        "app_id": "App ID", "service_id": "Service ID", "sign_in": "Sign-in", "email_source": "E-mail source",
        "setup": "Set-up",
    ]

    private static let sentences = [
        "client.first_redemption": "First code redeemed",
        "code.replayed": "Code used a second time",
        "sessions.ended": "Signed out everywhere",
        "consent.ended": "Consent ended",
        "session.ended": "Signed out",
    ]

    static func action(_ name: String) -> String {
        if let sentence = sentences[name] { return sentence }
        let parts = name.split(separator: ".", maxSplits: 1).map(String.init)
        let resource = parts.first.map { resources[$0] ?? plain($0) } ?? name
        let words = parts.count > 1 ? "\(resource) \(plain(parts[1]))" : resource
        return words.prefix(1).uppercased() + words.dropFirst()
    }

    /// A member of before and after: `notificationURL` is "Notification URL".
    static func member(_ name: String) -> String {
        var words = ""
        var wasUpper = true
        for character in name {
            if character.isUppercase, !wasUpper { words += " " }
            words.append(character == "_" ? " " : character)
            wasUpper = character.isUppercase
        }
        // Abbreviations stay as they are, plurals of them too.
        let cased = words.split(separator: " ").map { word in
            word.prefix(2).allSatisfy(\.isUppercase) ? String(word) : word.lowercased()
        }
        let text = cased.joined(separator: " ")
        return text.prefix(1).uppercased() + text.dropFirst()
    }

    private static func plain(_ text: String) -> String {
        String(text.map { $0 == "_" ? " " : $0 })
    }
}
