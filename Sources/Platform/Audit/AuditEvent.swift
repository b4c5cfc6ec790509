public import Core
public import HTTP
public import Postgres

/// An event of the audit log: an action that succeeded or was refused.
public struct AuditEvent: Sendable {
    public enum Outcome: String, SQLText, Sendable {
        case succeeded
        case refused
    }

    /// The object of the action, such as an App ID by its identifier.
    public struct Target: Hashable, Sendable {
        public let kind: String
        public let name: String

        public init(_ kind: String, _ name: String) {
            self.kind = kind
            self.name = name
        }
    }

    public let actor: Actor
    /// The resource and a verb in the past tense, such as `app_id.created`.
    public let action: String
    public let target: Target
    public let outcome: Outcome
    public let origin: Origin
    /// The changed members before and after the action.
    ///
    /// They never contain secrets.
    public let before: JSONValue?
    public let after: JSONValue?

    public init(
        _ action: String, by actor: Actor, on target: Target, from origin: Origin, before: JSONValue? = nil,
        after: JSONValue? = nil, outcome: Outcome = .succeeded
    ) {
        self.actor = actor
        self.action = action
        self.target = target
        self.outcome = outcome
        self.origin = origin
        self.before = before
        self.after = after
    }
}

// Writing events.
extension AuditEvent {
    /// The statement that inserts the event.
    ///
    /// Run it in the transaction of the change, or splice it into the one statement that makes the change:
    /// `WITH changed AS (…), audit AS (\(event.insertion(in: team))) SELECT …`.
    /// - Parameter condition: a FROM or WHERE clause; one event is inserted for each row it returns.
    public func insertion(in team: TeamID, when condition: SQL = "") -> SQL {
        insertion(
            in: team, actor: "\(actor.name)", target: "\(target.name)", words: "\(EventSearchTerms.of(self))",
            when: condition)
    }

    /// The statement that inserts an event whose actor and target are one user, known only as a column of a query.
    ///
    /// - Parameters:
    ///   - subject: a column of the rows that `condition` returns; replaces the names of the event's actor and target.
    ///   - condition: a FROM clause; one event is inserted for each row it returns.
    public func insertion(in team: TeamID, naming subject: SQL, when condition: SQL) -> SQL {
        insertion(
            in: team, actor: subject, target: subject,
            words: "array_append(\(EventSearchTerms.of(self, isNamed: false))::text[], lower(\(subject)))",
            when: condition)
    }

    private func insertion(in team: TeamID, actor name: SQL, target: SQL, words: SQL, when condition: SQL) -> SQL {
        """
        INSERT INTO audit_events (
            team_id, at, actor_kind, actor, action, target_kind, target, outcome, ip, user_agent,
            request_id, before, after, ip_key, words
        )
        SELECT
            \(team), clock_timestamp(), \(actor.kind), \(name), \(action), \(self.target.kind),
            \(target), \(outcome), NULLIF(\(origin.ip), ''), NULLIF(\(origin.userAgent), ''),
            NULLIF(\(origin.requestID), ''), \(Self.text(before))::jsonb, \(Self.text(after))::jsonb,
            \(IPAddress(origin.ip)?.bytes), \(words)
        \(condition)
        """
    }

    /// Writes the event in the caller's transaction.
    public func record(in team: TeamID, _ transaction: borrowing Transaction) async throws(PostgresFailure) {
        try await transaction.query(insertion(in: team))
    }

    private static func text(_ value: JSONValue?) -> String? {
        value.map { String(decoding: JSON.encode($0), as: UTF8.self) }
    }
}

/// Writes events of actions that change nothing, such as viewing a record.
public struct AuditEventLogStore: Sendable {
    private let database: TeamDatabase

    public init(_ database: TeamDatabase) { self.database = database }

    /// Writes the event; it is committed when this returns.
    public func record(_ event: AuditEvent, in team: TeamID) async throws(PostgresFailure) {
        try await database.query(event.insertion(in: team), in: team)
    }
}

/// Conditions of a search in the audit log; an event matches when it meets every condition that is set.
public struct AuditFilter: Hashable, Sendable {
    /// Actors by `sub`, client ID or name of a command; an event matches any of them.
    public var actors: [String]?
    /// The action exactly as recorded, such as `app_id.created`.
    public var action: String?
    /// The target by its name, such as an identifier; `targetKind` narrows it where two kinds share a name.
    public var target: String?
    public var targetKind: String?
    public var addresses: AddressBlock?
    public var outcome: AuditEvent.Outcome?
    /// The period, from `since` inclusive to `until` exclusive.
    public var since: Timestamp?
    public var until: Timestamp?
    /// Search terms (see `EventSearchTerms`); an event must have all of them.
    public var words: [String] = []

    public init() {}
}

/// A page of events, newest first.
public struct AuditPage: Sendable {
    public let entries: [AuditEntry]
    /// Where the next page begins, or nil when there is none.
    public let next: AuditEntry.Place?
    /// Whether the search stopped at `next` before the page was full, without examining older events.
    public let isPartial: Bool
    /// Number of matching events, counted up to 1,000 and no further than a page is searched; nil for a batch and for a
    /// partial page.
    public let count: AuditCount?
}

/// Number of events that match a filter, exact or as a lower bound.
public enum AuditCount: Hashable, Sendable {
    case exactly(Int)
    case moreThan(Int)
}

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
    /// - Parameter isNamed: whether the names of actor and target are included.
    static func of(_ event: AuditEvent, isNamed: Bool = true) -> [String] {
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

    /// Splits a search text into at most six terms, all of which an event must have.
    public static func ofQuery(_ text: String) -> [String] {
        var words: [String] = []
        for chunk in chunks(of: text) { append(whole: chunk, to: &words) }
        return Array(words.prefix(6))
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
        guard words.count < limit, let start = text.firstIndex(where: isWordy), let end = text.lastIndex(where: isWordy)
        else { return }
        let word = String(text[start...end]).lowercased()
        guard word.utf8.count <= longest, !word.unicodeScalars.contains("\0"), !words.contains(word) else { return }
        words.append(word)
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
