public import Core
public import Platform

extension ClientID {
    /// Parses the identifier of an App ID or Service ID; the error names the rule that the text breaks.
    public init(parsing text: String) throws(ValidationError) {
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

/// Texts shown to users: descriptions on the consent sheet, names of keys.
enum DisplayText {
    static let descriptionLimit = 255
    static let nameLimit = 100

    /// The text without surrounding white space.
    ///
    /// Rejects characters that could make the sheet show another text than was registered: control characters, line
    /// breaks and bidirectional formatting characters (Unicode TR36, section 3.1).
    static func parse(_ text: String, limit: Int) throws(ValidationError) -> String {
        let scalars = text.unicodeScalars
        if let scalar = scalars.first(where: isUnprintable) { throw .unprintable(scalar) }
        let trimmed = text.trimmedWhiteSpace
        guard !trimmed.isEmpty else { throw .missing }
        guard trimmed.unicodeScalars.count <= limit else { throw .tooLong(limit: limit) }
        return trimmed
    }

    /// Whether the scalar is a control, a line break, or changes the direction of the text around it (Unicode Standard
    /// Annex 9, section 2).
    static func isUnprintable(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.value >= 0x20, scalar.value < 0x7F { return false }
        return switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
        }
    }
}

/// An App ID or Service ID that keeps a team in sandbox mode, because only the rules of the sandbox allow it.
public struct ProductionObstacle: Sendable {
    /// The identifier of the App ID or Service ID.
    public let identifier: ClientID
    /// Message with the identifier and its error.
    public let words: Message

    private init?(_ kind: String, _ identifier: ClientID, _ parse: () throws(InvalidFields) -> Void) {
        do {
            try parse()
            return nil
        } catch {
            let thing = "\(kind) \(identifier)"
            words = Message("console.refusals.production", ["thing": thing, "problem": error.all[0].message])
            self.identifier = identifier
        }
    }

    /// Nil when a production team may have the App ID.
    public init?(_ app: AppID) {
        self.init("App ID", app.identifier) { () throws(InvalidFields) in
            _ = try AppID.Draft(parsing: AppID.Input(app.draft), policy: .hostNames)
        }
    }

    /// Nil when a production team may have the Service ID.
    public init?(_ service: ServiceID) {
        self.init("Service ID", service.identifier) { () throws(InvalidFields) in
            let input = ServiceID.Input(service.draft)
            _ = try ServiceID.Draft(parsing: input, of: service.appID, policy: .hostNames)
        }
    }
}
