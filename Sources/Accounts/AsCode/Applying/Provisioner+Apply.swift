import Crypto
import Directory
public import Platform
import Postgres
import Registry

extension Provisioner {
    /// Applies `file`, each team in one transaction; when any team has errors, changes nothing and reports them.
    ///
    /// - Throws: `PostgresFailure`, `PasswordHasher.Busy`.
    public func apply(
        _ file: RegistryFile, _ options: ApplyOptions = ApplyOptions(), by actor: Actor = .command("apply"),
        from origin: Origin = .local
    ) async throws -> ApplyReport {
        let plans: [TeamPlan]
        do { plans = try await plan(file, options).filter { !$0.changes.isEmpty } } catch let problems as InvalidFields
        { return ApplyReport(outcome: .refused(problems.all), teams: []) }
        let teams = plans.map(\.report)
        if plans.isEmpty { return ApplyReport(outcome: .unchanged, teams: []) }
        if options.isDryRun { return ApplyReport(outcome: .wouldChange, teams: teams) }
        var applied: [ApplyReport.Team] = []
        for plan in plans {
            do { applied.append(try await carryOut(plan, options, by: actor, from: origin).report) } catch let problems
                as InvalidFields
            { return ApplyReport(outcome: .refused(problems.all), teams: applied) }
        }
        return ApplyReport(outcome: .applied, teams: applied)
    }

    /// Makes the changes of one team.
    ///
    /// - Returns: the plan that was applied, which differs from `plan` after a concurrent change of the team.
    private func carryOut(_ plan: TeamPlan, _ options: ApplyOptions, by actor: Actor, from origin: Origin) async throws
        -> TeamPlan
    {
        var plan = plan
        for _ in 0..<3 {
            let application = TeamApplication(self, plan, options, try await hash(plan), actor, origin)
            do { return try await application.run() } catch is TeamApplication.Outdated {
                let registered = try await registered(for: plan.entry, options)
                plan = try TeamPlan(plan.entry, at: plan.path, from: registered, options)
            }
        }
        throw PostgresFailure.overloaded
    }

    /// The plans of all teams of the file.
    ///
    /// - Throws: `InvalidFields` with the errors of all teams; `PostgresFailure`.
    private func plan(_ file: RegistryFile, _ options: ApplyOptions) async throws -> [TeamPlan] {
        var plans: [TeamPlan] = []
        var problems: [FieldError] = []
        var seen: Set<String> = []
        for (index, entry) in file.teams.enumerated() {
            let path = "teams[\(index)]"
            if !seen.insert(entry.id).inserted { problems.append(FieldError("\(path).id", .duplicate(entry.id))) }
            do {
                let registered = try await registered(for: entry, options)
                plans.append(try TeamPlan(entry, at: path, from: registered, options))
            } catch let found as InvalidFields { problems += found.all }
        }
        if !problems.isEmpty { throw InvalidFields(problems) }
        return plans
    }

    /// The stored state of the team of `entry`; empty when its id is not a Team ID.
    private func registered(for entry: RegistryFile.Team, _ options: ApplyOptions) async throws -> RegisteredTeam {
        guard let team = TeamID(rawValue: entry.id) else { return RegisteredTeam() }
        return try await database.transaction(in: team) { transaction in
            try await read(team, entry.users(options), transaction)
        }
    }

    /// Hashes the passwords of a plan, outside of a transaction because each takes long.
    private func hash(_ plan: TeamPlan) async throws(PasswordHasher.Busy) -> [LoginName: PasswordHash] {
        var hashes: [LoginName: PasswordHash] = [:]
        for change in plan.changes {
            switch change {
            case .createUser(let user):
                if let password = user.password { hashes[user.login] = try await hasher.hash(password, for: plan.team) }
            case .resetPassword(let user, let password):
                hashes[user.login] = try await hasher.hash(password, for: plan.team)
            default: continue
            }
        }
        return hashes
    }
}

extension TeamPlan { var report: ApplyReport.Team { ApplyReport.Team(id: team, lines: changes.map(\.line)) } }

extension RegistryFile.Team {
    /// Users to read: those in the file, or all when absent ones are to be removed.
    func users(_ options: ApplyOptions) -> Provisioner.Users {
        if options.prunes, users != nil { return .all }
        return .named((users ?? []).compactMap { EmailAddress(typed: $0.email).map(LoginName.init) })
    }
}
