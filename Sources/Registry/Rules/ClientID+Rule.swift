public import Domain

extension ClientID {
    /// Parses the identifier of an App ID or Service ID, and says which rule a wrong one breaks.
    public init(parsing text: String) throws(Refusal) {
        guard !text.isEmpty else { throw .missing }
        guard text.utf8.count <= Self.maximumLength else { throw .tooLong(limit: Self.maximumLength) }
        if let identifier = ClientID(rawValue: text) {
            self = identifier
        } else if let scalar = text.unicodeScalars.first(where: { !Self.isAllowed($0) }) {
            throw .identifierCharacter(scalar)
        } else {
            throw .identifierShape
        }
    }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "-", ".": true
        default: false
        }
    }
}
