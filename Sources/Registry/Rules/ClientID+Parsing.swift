import Core
public import Platform

extension ClientID {
    /// Parses the identifier of an App ID or Service ID; the error names the rule that the text breaks.
    public init(parsing typed: String) throws(ValidationError) {
        let text = typed.typedCode
        guard !text.isEmpty else { throw .missing }
        guard text.utf8.count <= Self.maximumLength else { throw .tooLong(limit: Self.maximumLength) }
        if let identifier = ClientID(rawValue: text) {
            if let rest = Self.withoutTeam(text) { throw .teamPrefix(without: rest) }
            self = identifier
        } else if let scalar = text.unicodeScalars.first(where: { !Self.isAllowed($0) }) {
            throw .identifierCharacter(scalar)
        } else {
            throw .identifierShape
        }
    }

    /// The bundle ID after an Apple Team ID, the prefix used in entitlements and provisioning profiles; else nil.
    private static func withoutTeam(_ text: String) -> String? {
        let first = text.prefix { $0 != "." }
        let hasDigit = first.utf8.contains { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
        let rest = String(text.dropFirst(first.count + 1))
        guard hasDigit, AppleTeamID(rawValue: String(first)) != nil, ClientID(rawValue: rest) != nil else { return nil }
        return rest
    }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "-", ".": true
        default: false
        }
    }
}
