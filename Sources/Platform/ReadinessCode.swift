public import Core

/// Code word of a condition that keeps a process from serving, or may do so soon.
public enum ReadinessCode: String, CaseIterable, Sendable {
    case starting
    case draining
    case databaseUnreachable = "database_unreachable"
    case databaseStarting = "database_starting"
    case databaseSilent = "database_silent"
    case databaseStalled = "database_stalled"
    case databaseReadOnly = "database_read_only"
    case databaseFull = "database_full"
    case databaseBroken = "database_broken"
    case databaseUnsuitable = "database_unsuitable"
    case databaseRole = "database_role"
    case databaseWall = "database_wall"
    case schemaOlder = "schema_older"
    case schemaNewer = "schema_newer"
    case schemaShape = "schema_shape"
    case masterKey = "master_key"
    case clock
    case descriptors
    case dataFolder = "data_folder"
    case copy

    /// What it means to an operator, and what to do.
    public var advice: Message { Message(in: "console.operator.readiness", rawValue) }

    /// The condition behind a failure of the database, from a text with a code of this list or a SQLSTATE before a colon.
    ///
    /// Nil if the text has neither.
    public init?(ofProblem text: String) {
        let words = text.split(separator: ":").map { $0.drop { $0 == " " } }
        if let own = words.first.flatMap({ ReadinessCode(rawValue: String($0)) }) {
            self = own
            return
        }
        let state = words.first { word in
            word.utf8.count == 5 && word.utf8.contains { $0.isASCIIDigit }
                && word.utf8.allSatisfy { $0.isASCIIDigit || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
        }
        guard let state else { return nil }
        switch state {
        case "57P03": self = .databaseStarting
        case "25006": self = .databaseReadOnly
        case "53100": self = .databaseFull
        // The role is not there, or may not be taken.
        case "22023", "42501": self = .databaseRole
        // A table, column, function or schema is missing.
        case "42P01", "42703", "42883", "3F000": self = .schemaOlder
        case _ where state.hasPrefix("58") || state.hasPrefix("XX"): self = .databaseBroken
        default: self = .databaseUnreachable
        }
    }
}
