import Core
import Directory
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

/// Search of the audit log: the values as typed, and the filter they mean.
struct AuditQuery: Sendable {
    let list: ListQuery
    /// The filter without the actor, because that may be a name that has to be resolved to ids.
    let filter: AuditFilter
    private(set) var errors = FieldErrors()

    /// - Parameters:
    ///   - form: the query of the page's URL, or the form that exports what it finds.
    ///   - actions: names of all possible actions.
    /// - Throws: `UserFacingError` for an invalid position in the list.
    init(_ form: Form, at path: String, actions: [String]) throws(UserFacingError) {
        list = try ListQuery(form, at: path, Self.filters(actions))
        var filter = AuditFilter()
        filter.action = list["action"]
        filter.target = list["target"]
        filter.targetKind = list["kind"]
        filter.outcome = list["outcome"].flatMap(AuditEvent.Outcome.init(rawValue:))
        filter.words = EventSearchTerms.ofQuery(list.search)
        if let text = list["ip"] {
            filter.addresses = errors.require(AddressBlock(text), "ip", Message("console.audit.error.ip"))
        }
        if let text = list["from"] {
            filter.since = errors.require(Timestamp(day: text), "from", Message("console.audit.error.day"))
        }
        if let text = list["to"] {
            let day = errors.require(Timestamp(day: text), "to", Message("console.audit.error.day"))
            filter.until = day.map { $0 + .seconds(86_400) }
        }
        if let since = filter.since, let until = filter.until, since >= until {
            errors.add("to", Message("console.audit.error.order"))
        }
        self.filter = filter
    }

    private static func filters(_ actions: [String]) -> [ListFilter] {
        let label = { (name: String) in Message(in: "console.audit.filter", name) }
        let any = Message("console.audit.any")
        var action = ListFilter.choice(
            "action", label("action"), any: any, actions.map { ($0, AuditMessages.action($0)) })
        // Events of earlier versions have actions that no event has today.
        (action.accepts, action.shown) = ({ _ in true }, { AuditMessages.action($0) })
        let outcomes = [AuditEvent.Outcome.succeeded, .refused].map(\.rawValue)
        return [
            .search(label("q"), placeholder: Message("console.audit.search.hint")),
            .text("actor", label("actor"), placeholder: Message("console.audit.hint.actor")),
            .text("target", label("target"), placeholder: Message("console.audit.hint.target")),
            ListFilter(name: "kind", label: label("kind"), input: .hidden) { _ in
                true
            } shown: {
                AuditMessages.kind($0)
            }, .text("ip", label("ip"), placeholder: Message("console.audit.hint.ip")),
            .text("from", label("from"), type: "date"), .text("to", label("to"), type: "date"), action,
            .choice(
                "outcome", label("outcome"), any: any, outcomes.map { ($0, Message(in: "console.audit.outcome", $0)) }),
        ]
    }

    var actor: String? { list["actor"] }

    /// Whether any field other than the search box is used.
    var isDetailed: Bool { list.parameters.contains { $0.name != "q" } || !errors.isEmpty }

    /// The inputs beside the search box, with their errors.
    var inputs: [InputView] {
        list.filters.filter { $0.name != "q" }.compactMap { $0.view(list[$0.name] ?? "", error: errors[$0.name]) }
    }

    /// The fields as the audit event of an export stores them.
    var json: [String: JSONValue] {
        Dictionary(uniqueKeysWithValues: list.parameters.map { ($0.name, .string($0.value)) })
    }

    /// The active filters, each with the URL of the list without it.
    var chips: [ChipView] {
        list.parameters.map { parameter in
            // The kind of a target has no meaning without the target.
            list.chip(parameter, without: parameter.name == "target" ? ["target", "kind"] : [parameter.name])
        }
    }
}
