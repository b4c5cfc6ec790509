import Audit
import Directory
import Domain
import Postgres

/// The names of people beside their ids in a list of events: members are users of the system team.
struct AuditNames: Sendable {
    private var members: [String: String] = [:]
    private var people: [String: String] = [:]

    /// Reads the names of everybody in `entries`: at most one statement for members and one for the team's people.
    static func read(
        for entries: [AuditEntry],
        in team: TeamID,
        _ users: UserStore
    ) async throws(PostgresFailure) -> AuditNames {
        var members: Set<String> = []
        var people: Set<String> = []
        for entry in entries {
            if entry.actorKind == "member" { members.insert(entry.actor) }
            if entry.actorKind == "person" { people.insert(entry.actor) }
            if entry.targetKind == "member" { members.insert(entry.target) }
            if entry.targetKind == "user" { people.insert(entry.target) }
        }
        var names = AuditNames()
        names.members = try await read(members, in: .system, users)
        names.people = try await read(people, in: team, users)
        return names
    }

    /// Who did it.
    func actor(of entry: AuditEntry) -> String {
        switch entry.actorKind {
        case "member": members[entry.actor] ?? entry.actor
        case "person": people[entry.actor] ?? entry.actor
        case "command": "Command line (\(entry.actor))"
        case "system": "Pippin (\(entry.actor))"
        default: entry.actor
        }
    }

    /// What it was done to.
    func target(of entry: AuditEntry) -> String {
        switch entry.targetKind {
        case "member": members[entry.target] ?? entry.target
        case "user": people[entry.target] ?? entry.target
        default: entry.target
        }
    }

    private static func read(
        _ subjects: Set<String>,
        in team: TeamID,
        _ users: UserStore
    ) async throws(PostgresFailure) -> [String: String] {
        guard !subjects.isEmpty else { return [:] }
        var names: [String: String] = [:]
        for user in try await users.find(subjects.compactMap(Subject.init), in: team) {
            let name = user.name.isEmpty ? user.email?.rawValue : user.name.full
            names[user.subject.rawValue] = name
        }
        return names
    }
}
