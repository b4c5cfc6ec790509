import Core
import Platform
import Registry

/// Collects the changes of one team and all errors of its entry.
struct TeamPlanner {
    let file: RegistryFile.Team
    let registered: RegisteredTeam
    let options: ApplyOptions
    private(set) var changes: [Change] = []
    private(set) var problems: [FieldError] = []

    /// The policy of the team's future mode.
    var policy: HostPolicy
    /// App IDs after the changes, by identifier.
    var appIDs: [ClientID: AppID.Draft] = [:]
    /// Stored objects that are kept after the removals.
    var keptAppIDs: [AppID] = []
    var keptServiceIDs: [ServiceID] = []
    var keptKeys: [Key] = []
    var keptEmailSources: [EmailSource.Draft] = []

    init(_ file: RegistryFile.Team, _ registered: RegisteredTeam, _ options: ApplyOptions) {
        self.file = file
        self.registered = registered
        self.options = options
        policy = registered.policy
    }

    mutating func add(_ change: Change) { changes.append(change) }

    mutating func note(_ field: String, _ refusal: ValidationError) { problems.append(FieldError(field, refusal)) }

    mutating func note(_ field: String, _ message: any LocalizedTextConvertible) {
        problems.append(FieldError(field: field, message: message))
    }

    /// The parsed value, or nil after collecting its errors under `path`.
    mutating func check<Value>(_ path: String, _ parse: () throws(InvalidFields) -> Value) -> Value? {
        do { return try parse() } catch {
            problems += error.all.map { $0.under(path) }
            return nil
        }
    }

    /// Adds an error for each element whose name occurred before, compared without regard to case.
    mutating func noteDuplicates(_ names: [(field: String, name: String)]) {
        var seen: Set<String> = []
        for (field, name) in names where !name.isEmpty && !seen.insert(name.lowercased()).inserted {
            note(field, .duplicate(name))
        }
    }
}

// The team itself.
extension TeamPlanner {
    /// The team's id, or nil when it is invalid.
    mutating func planTeam() -> TeamID? {
        guard let team = TeamID(rawValue: file.id) else {
            note("id", "A Team ID is 10 characters, A to Z and 0 to 9.")
            return nil
        }
        guard team != .system else {
            note("id", "This is the built-in team of the console's own people; it is no team of the registry.")
            return nil
        }
        if case .deleted = registered.state {
            note("id", "This was the id of a team that was deleted; ids are not used again.")
        }
        guard let settings = planSettings(team) else { return team }
        policy = registered.policy(of: settings.mode)
        if let old = registered.settings {
            if old != settings { add(.updateTeam(team, from: old, to: settings)) }
            if old.mode == .sandbox, settings.mode == .production { checkForLoopback() }
        } else {
            add(.createTeam(team, settings))
        }
        return team
    }

    private mutating func planSettings(_ team: TeamID) -> TeamSettings? {
        let old = registered.settings
        let name = TeamName(rawValue: file.name ?? old?.name.rawValue ?? team.rawValue)
        if name == nil { note("name", "The name of a team is one line of 1 to \(TeamName.maximumLength) characters.") }
        let mode = choice("mode", file.mode, old?.mode ?? .production)
        let secondFactor = choice("secondFactor", file.secondFactor, old?.secondFactor ?? .optional)
        guard let sources = planIdentitySources(old), let name, let mode, let secondFactor else { return nil }
        return TeamSettings(name: name, mode: mode, identitySources: sources, secondFactor: secondFactor)
    }

    private mutating func planIdentitySources(_ old: TeamSettings?) -> Set<IdentitySource>? {
        guard let texts = file.identitySources else { return Set(old?.identitySources ?? [.directory]) }
        var sources: Set<IdentitySource> = []
        for (index, text) in texts.enumerated() {
            let field = "identitySources[\(index)]"
            guard let source = choice(field, text, IdentitySource.directory) else { continue }
            if !sources.insert(source).inserted { note(field, .duplicate(text)) }
        }
        if texts.isEmpty { note("identitySources", "At least one source of identities is needed.") }
        return sources.isEmpty ? nil : sources
    }

    private mutating func choice<Value: RawRepresentable & CaseIterable>(
        _ field: String, _ text: String?, _ standard: Value
    ) -> Value? where Value.RawValue == String {
        guard let text else { return standard }
        if let value = Value(rawValue: text) { return value }
        note(field, .unknownValue(text, allowed: Value.allCases.map(\.rawValue)))
        return nil
    }

    /// Reports loopback addresses of objects that the file omits, because a production team may have none.
    private mutating func checkForLoopback() {
        let named = Set(file.appIDs?.map(\.identifier) ?? [])
        let namedServices = Set(file.appIDs?.flatMap { $0.serviceIDs ?? [] }.map(\.identifier) ?? [])
        let apps = registered.appIDs.filter { !named.contains($0.identifier.rawValue) }
        let services = registered.serviceIDs.filter { !namedServices.contains($0.identifier.rawValue) }
        for obstacle in apps.compactMap(ProductionObstacle.init) + services.compactMap(ProductionObstacle.init) {
            note("mode", obstacle.words)
        }
    }
}
