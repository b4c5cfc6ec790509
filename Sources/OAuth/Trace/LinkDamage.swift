import Core

/// How a link or form was changed on its way here, as far as its parameters tell.
public enum LinkDamage: String, CaseIterable, Sendable {
    /// `&amp;` stands for `&`, as HTML writes it.
    case entities
    /// Percent-encoded twice.
    case encodedTwice = "encoded_twice"
    /// Values in quotation marks or angle brackets.
    case quotes
    /// A blank within an address, where a `+` stood that was not encoded.
    case plus

    init?(_ fields: [FormCoding.Field]) {
        // What these hold is the app's own affair.
        let fields = fields.filter { !["state", "nonce", "user", "login_hint"].contains($0.name.text) }
        guard let damage = Self.allCases.first(where: { damage in fields.contains(where: damage.isSeen) }) else {
            return nil
        }
        self = damage
    }

    private func isSeen(in field: FormCoding.Field) -> Bool {
        let value = field.value.cut(toOctets: 4096)
        return switch self {
        case .entities:
            field.name.text.hasPrefix("amp;") || field.name.text.hasPrefix("#38;") || value.contains("&amp;")
        case .encodedTwice:
            ["%3a", "%2f", "%20", "%3d", "%26"].contains(where: value.lowercasedASCII.contains)
                && !(field.name == "redirect_uri" && value.contains("://"))
        case .quotes: value.unicodeScalars.first.map { "\"'<“‘«`".unicodeScalars.contains($0) } ?? false
        case .plus: field.name == "redirect_uri" && value.trimmedWhiteSpace.utf8.contains(UInt8(ascii: " "))
        }
    }
}
