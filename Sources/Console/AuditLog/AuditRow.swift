import Core
import Federation
import HTTP
import Platform
import SignIn
import Templates

/// An event with all its changes; in a list, long values are cut.
struct AuditRow: Sendable {
    let entry: AuditEntry
    let team: TeamID
    /// Whether long values are cut, as in a list; the event's own page shows them in full.
    var isShort = false

    static let fields = Fields<AuditRow> {
        $0.text("url") { ConsoleRoutes.auditEvent.link($0.team, AuditReference($0.entry.place)) }
        $0.group("time", TimeView.fields) { TimeView($0.entry.at) }
        $0.words("actor") { $0.entry.shownActor }
        $0.text("actorURL") { $0.log([("actor", $0.entry.actor)]) }
        $0.words("action") { AuditMessages.action($0.entry.action) }
        $0.optionalWords("target") { $0.entry.shownTarget }
        $0.optionalText("targetID") { $0.entry.targetID }
        $0.optionalText("targetURL") { $0.targetURL }
        $0.text("historyURL") { $0.log([("target", $0.entry.target), ("kind", $0.entry.targetKind)]) }
        $0.optionalText("ip") { $0.entry.ip }
        $0.optionalText("agent") { $0.entry.userAgent }
        $0.optionalText("requestID") { $0.entry.requestID }
        $0.flag("refused") { $0.entry.outcome == .refused }
        $0.flag("compared") { $0.entry.before.map { $0 != "{}" } ?? false }
        $0.list("changes", AuditChange.fields) { $0.changes }
    }

    private var changes: [AuditChange] {
        isShort ? AuditChange.beginnings(before: entry.before, after: entry.after) : AuditChange.all(of: entry)
    }

    /// URL of the audit log with these filters.
    func log(_ parameters: [(name: String, value: String)]) -> String {
        "\(ConsoleRoutes.audit.link(team))?\(FormCoding.encode(parameters))"
    }

    /// URL of the target's page, which responds with 404 if the target no longer exists; nil if its kind has no page.
    var targetURL: String? {
        switch entry.targetKind {
        case "app_id": ClientID(rawValue: entry.target).map { ConsoleRoutes.appID.link(team, $0) }
        case "service_id": ClientID(rawValue: entry.target).map { ConsoleRoutes.serviceID.link(team, $0) }
        case "key": KeyID(rawValue: entry.target).map { ConsoleRoutes.key.link(team, $0) }
        case "user": Subject(rawValue: entry.target).map { ConsoleRoutes.user.link(team, $0) }
        default: nil
        }
    }
}

// Names of an event's actor and target on pages: the name if there is one, else the id.
extension AuditEntry {
    /// The event in overviews and histories; it names the target unless that is the actor.
    func row(in team: TeamID) -> ListRow {
        let target = isOwn ? nil : shownTarget
        return ListRow(
            AuditMessages.action(action), at: ConsoleRoutes.auditEvent.link(team, AuditReference(place)),
            notes: [
                .text(target.map { Message("console.audit.line", ["actor": shownActor, "target": $0]) } ?? shownActor)
            ], end: [.text(at)], hasArrow: false)
    }

    /// Name of the actor.
    var shownActor: any LocalizedTextConvertible {
        switch actorKind {
        case "command": Message("console.audit.by-command", ["name": actor])
        case "system" where actor == UpstreamRevocation.kind: Message("console.audit.by-revocation")
        case "system" where actor == ProviderID.apple.rawValue: appleActor
        case "system": Message("console.audit.by-system", ["name": actor])
        default: Self.name(of: actor, actorKind, actorPerson)
        }
    }

    /// Apple as an actor: validating a token at Apple can reveal an ended authorization without a notification.
    private var appleActor: Message {
        action == "upstream_authorization.ended"
            ? Message("console.audit.by-apple") : Message("console.audit.by-apple-notification")
    }

    /// Name of the target; nil if it adds nothing to the name of the action, as for an invitation.
    var shownTarget: (any LocalizedTextConvertible)? {
        if ["invitation", "user_invitation"].contains(targetKind) { return nil }
        if action == "user.deleted", targetPerson?.shownName == nil { return nil }
        return Self.name(of: target, targetKind, targetPerson)
    }

    /// Id of the target; nil if the id is already shown as its name.
    var targetID: String? { shownTarget is String ? nil : target }

    /// Whether the actor is the target.
    var isOwn: Bool { target == actor || targetPerson?.shownName ?? target == actorPerson?.shownName }

    /// Name of an actor or target; a deleted user has no name, because it is erased.
    private static func name(of id: String, _ kind: String, _ person: Person?) -> any LocalizedTextConvertible {
        if let name = person?.shownName { return name }
        return switch kind {
        case "user", "person",
            "member" where person == nil:
            Message("console.audit.deleted-person")
        default: id
        }
    }
}

/// Time (in microseconds) and id of an event as a path segment: `1763650000000000-<id>`.
struct AuditReference: PathValue {
    let place: AuditEntry.Place

    init(_ place: AuditEntry.Place) { self.place = place }

    static func parse(pathSegment: Span<UInt8>) -> AuditReference? {
        guard let text = String.parse(pathSegment: pathSegment), text.utf8.count <= 64,
            let dash = text.firstIndex(of: "-"), let moment = Int64(text[..<dash]),
            (0...253_402_300_799_999_999).contains(moment), text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { return nil }
        let id = String(text[text.index(after: dash)...])
        return AuditReference(AuditEntry.Place(at: Timestamp(microseconds: moment), id: id))
    }

    var pathSegment: String { "\(place.at.microseconds)-\(place.id)" }
}

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

/// One changed JSON member, with its value before and after the event.
struct AuditChange: Hashable, Sendable {
    let name: String
    let before: LocalizedText?
    let after: LocalizedText?

    static let fields = Fields<AuditChange> {
        $0.text("name") { $0.name }
        $0.optionalWords("before") { $0.before }
        $0.optionalWords("after") { $0.after }
    }

    /// Members of `before` and `after` that differ, sorted by name.
    static func all(of entry: AuditEntry) -> [AuditChange] {
        all(before: members(entry.before), after: members(entry.after))
    }

    /// Maximum length of a value in a list, in octets.
    static let shownOctets = 300
    /// Maximum size of `before` and `after` together whose changes a list shows, in octets.
    ///
    /// A list has fifty events, and one loop renders the response.
    static let readOctets = 32 * 1024

    /// Changes for a list: each value is cut to `shownOctets`, and an event larger than `readOctets` has none.
    ///
    /// The event's own page shows all of them.
    static func beginnings(before: String?, after: String?) -> [AuditChange] {
        let octets = [before, after].reduce(0) { $0 + ($1?.utf8.count ?? 0) }
        guard octets <= readOctets else { return [] }
        return all(before: members(before), after: members(after), showing: beginning)
    }

    static func all(
        before: [String: JSONValue], after: [String: JSONValue], showing shown: (JSONValue) -> JSONValue = { $0 }
    ) -> [AuditChange] {
        Set(before.keys).union(after.keys).sorted().compactMap { name in
            guard before[name] != after[name] else { return nil }
            let (old, new) = (before[name].map(shown).flatMap(text), after[name].map(shown).flatMap(text))
            return AuditChange(name: AuditMessages.member(name), before: old, after: new)
        }
    }

    private static func beginning(_ value: JSONValue) -> JSONValue {
        switch value {
        case .null, .boolean, .integer, .number: return value
        case .string(let text): return .string(shortened(text))
        case .object: return .string(shortened(String(decoding: JSON.encode(value), as: UTF8.self)))
        case .array(let items):
            var (kept, left) = ([JSONValue](), shownOctets)
            for item in items {
                guard left > 0 else { return .array(kept + [.string("…")]) }
                let item = beginning(item)
                kept.append(item)
                left -= JSON.encode(item).count
            }
            return .array(kept)
        }
    }

    private static func shortened(_ text: String) -> String {
        text.utf8.count <= shownOctets ? text : text.cut(toOctets: shownOctets) + "…"
    }

    /// Members of a JSON object; empty for any other value, so that the event is listed without changes.
    private static func members(_ json: String?) -> [String: JSONValue] {
        guard let json, let value = try? JSON.decode(JSONValue.self, from: Array(json.utf8)),
            case .object(let members) = value
        else { return [:] }
        return members
    }

    private static func text(_ value: JSONValue) -> LocalizedText? {
        switch value {
        case .null: nil
        case .boolean(let flag): (flag ? Message("console.audit.yes") : Message("console.audit.no")).localizedText
        case .integer(let number): .verbatim(String(number))
        case .number(let number): .verbatim(String(number))
        case .string(let text): .verbatim(text)
        case .array(let items):
            items.isEmpty ? Message("console.audit.nothing").localizedText : .list(items.compactMap(text))
        case .object: .verbatim(String(decoding: JSON.encode(value), as: UTF8.self))
        }
    }
}
