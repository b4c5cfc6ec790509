import Core
import Directory
import Platform
import Postgres
import Registry

/// Brings the members of a team to those of its entry of a registry file, in the caller's transaction, which has the team
/// locked.
///
/// An address with a console account becomes a member; any other is invited, once. A team that has an owner keeps one.
struct MemberApply {
    private let stores: Provisioner
    private let entry: RegistryFile.Team
    /// Position of the list in the file.
    private let path: FieldPath
    private let options: ApplyOptions
    /// Name of the team in invitations.
    var teamName = ""
    private(set) var errors = FieldErrors()
    /// Login names by the `sub` of a member and the id of an invitation.
    private(set) var logins: [String: LoginName] = [:]

    /// A member as the file has it.
    private struct Judged {
        let path: FieldPath
        let email: EmailAddress
        let role: Role
    }

    init(_ entry: RegistryFile.Team, at path: FieldPath, _ options: ApplyOptions, _ stores: Provisioner) {
        (self.entry, self.path, self.options, self.stores) = (entry, path, options, stores)
    }

    mutating func save(_ change: borrowing Change) async throws {
        guard let members = entry.members else { return }
        let wanted = judge(members)
        var roles = try await MembershipStore.lockAll(change)
        let hadOwner = roles.values.contains(.owner)
        let accounts = try await ConsoleAccount.find(wanted.map { LoginName($0.email) }, Array(roles.keys), change)
        for account in accounts { logins[account.subject.rawValue] = account.login }
        let subjects = Dictionary(accounts.map { ($0.login, $0.subject) }) { first, _ in first }

        if options.prunes {
            let named = Set(wanted.compactMap { subjects[LoginName($0.email)] })
            for (member, role) in roles.sorted(by: { $0.key.rawValue < $1.key.rawValue }) where !named.contains(member)
            {
                try await MembershipStore.remove(member, from: role, reason: TeamApply.reason, change)
                roles[member] = nil
            }
        }
        for member in wanted {
            guard let subject = subjects[LoginName(member.email)], let old = roles[subject], old != member.role else {
                continue
            }
            try await MembershipStore.set(subject, from: old, to: member.role, change)
            roles[subject] = member.role
        }
        // Read now, because invitations of whom the change took the right to invite are gone.
        let invitations = try await openInvitations(change)
        for member in wanted {
            let login = LoginName(member.email)
            if let subject = subjects[login], roles[subject] != nil { continue }
            let invited = invitations[login]
            if invited?.role == member.role { continue }
            if invited == nil, let subject = subjects[login] {
                try await attempt(member, change) { try await MembershipStore.add(subject, as: member.role, $0) }
                roles[subject] = member.role
            } else {
                try await invite(member, change)
            }
        }
        if options.prunes {
            let named = Set(wanted.map { LoginName($0.email) })
            for (login, invitation) in invitations where !named.contains(login) {
                logins[invitation.id.rawValue] = login
                try await InvitationStore.withdraw(invitation.id, change)
            }
        }
        if hadOwner, !roles.values.contains(.owner) {
            errors.add(path, "This would leave the team without an owner. Name an owner who has a console account.")
        }
    }

    private mutating func judge(_ members: [RegistryFile.Member]) -> [Judged] {
        var (wanted, named): ([Judged], Set<LoginName>) = ([], [])
        for (index, member) in members.enumerated() {
            let path = path[index]
            let email = errors.require(
                EmailAddress(typed: member.email), path["email"], ValidationError.emailAddress.message)
            let role = errors.require(
                Role(rawValue: member.role).flatMap { $0 == .operator ? nil : $0 }, path["role"],
                "A role is owner, admin, developer or auditor.")
            if let email, !named.insert(LoginName(email)).inserted {
                errors.add(path["email"], .duplicate(member.email))
            } else if let email, let role {
                wanted.append(Judged(path: path, email: email, role: role))
            }
        }
        return wanted
    }

    private func openInvitations(_ change: borrowing Change) async throws -> [LoginName: Invitation] {
        let now = Timestamp.now()
        let open = try await InvitationStore.list(change).filter { $0.isOpen(at: now) }
        return Dictionary(open.map { (LoginName($0.email), $0) }) { first, _ in first }
    }

    private mutating func invite(_ member: Judged, _ change: borrowing Change) async throws {
        let (stores, teamName) = (stores, teamName)
        let id = try await attempt(member, change) { change in
            try await stores.invitations.invite(member.email, as: member.role, by: Invitation.installation, change) {
                issued, change in try await stores.sendInvitation(issued, teamName, change)
            }.id
        }
        if let id { logins[id.rawValue] = LoginName(member.email) }
    }

    /// Runs `body` in a savepoint, and notes that the team is full; then it returns nil.
    private mutating func attempt<Value: Sendable>(
        _ member: Judged, _ change: borrowing Change, _ body: (borrowing Change) async throws -> Value
    ) async throws -> Value? {
        do {
            var value: Value?
            try await change.attempt { value = try await body($0) }
            return value
        } catch MembershipStore.Failure.teamFull, InvitationStore.Failure.teamFull {
            errors.add(member.path, Message("console.members.full", ["limit": Quota.members.count]))
        } catch InvitationStore.Failure.tooMany { errors.add(member.path, Message("console.members.too-many")) }
        return nil
    }

    /// Members and invited people as an export has them, in the order of their addresses.
    static func exported(_ change: borrowing Change) async throws -> [RegistryFile.Member] {
        let roles = try await MembershipStore.lockAll(change)
        let now = Timestamp.now()
        let invited = try await InvitationStore.list(change).filter { $0.isOpen(at: now) }
        var members = Dictionary(invited.map { (LoginName($0.email), $0.role) }) { first, _ in first }
        for account in try await ConsoleAccount.find([], Array(roles.keys), change) {
            members[account.login] = roles[account.subject]
        }
        return members.sorted { $0.key.rawValue < $1.key.rawValue }.map {
            RegistryFile.Member(email: $0.key.rawValue, role: $0.value.rawValue)
        }
    }
}

/// A console account by the name that it signs in by.
private struct ConsoleAccount: Sendable {
    let subject: Subject
    let login: LoginName

    /// The accounts with one of these login names or subjects.
    static func find(_ logins: [LoginName], _ subjects: [Subject], _ change: borrowing Change) async throws
        -> [ConsoleAccount]
    {
        try await change.acting(in: .system, by: change.actor) { change in
            try await change.query(
                """
                SELECT sub, login FROM login_names
                WHERE team_id = \(change.team)
                    AND (login = ANY(\(logins.map(\.rawValue))) OR sub = ANY(\(subjects.map(\.rawValue))))
                """
            ).all { (row: inout Row) throws(PostgresFailure) in
                ConsoleAccount(subject: try row.next(), login: try row.next())
            }
        }
    }
}
