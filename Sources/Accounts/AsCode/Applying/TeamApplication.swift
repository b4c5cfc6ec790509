import Core
import Crypto
import Directory
import Platform
import Postgres
import Registry

/// Applies one team's entry of a registry file in one transaction.
struct TeamApplication: Sendable {
    /// The team or a user was created or deleted after the plan was made.
    struct Outdated: Error {}

    static let reason = "absent from the registry file"

    let provisioner: Provisioner
    let plan: TeamPlan
    let options: ApplyOptions
    /// Hashes of the plan's passwords.
    let hashes: [LoginName: PasswordHash]
    let actor: Actor
    let origin: Origin

    /// Plans again under the lock of the team's row, because of concurrent changes, and makes the changes.
    ///
    /// - Returns: the plan that was applied.
    func run() async throws -> TeamPlan {
        try await provisioner.database.change(in: plan.team, by: actor, from: origin) { change in
            let registered = try await provisioner.read(plan.team, plan.entry.users(options), change.transaction)
            let plan = try TeamPlan(self.plan.entry, at: self.plan.path, from: registered, options)
            for step in plan.changes { do { try await make(step, change) } catch { throw explain(error, step) } }
            return plan
        }
    }

    /// Converts an error of a store that the plan did not foresee to a message; returns other errors unchanged.
    private func explain(_ error: any Error, _ step: PlannedChange) -> any Error {
        let reason: Message
        switch error {
        case let refusal as ValidationError: reason = refusal.message
        case TeamStore.Failure.idTaken: return Outdated()
        case UserStore.Failure.loginTaken: reason = Message("console.refusals.apply.login-taken")
        default: return error
        }
        let message = Message("console.refusals.apply.change", ["change": step.line, "problem": reason])
        return FieldErrors(plan.path, message)
    }

    private func make(_ step: PlannedChange, _ change: borrowing Change) async throws {
        switch step {
        case .createTeam, .updateTeam: try await makeTeam(step, change)
        case .revokeKey, .deleteServiceID, .deleteAppID, .deleteEmailSource, .deleteUser: try await remove(step, change)
        case .disconnectApple, .deleteAppleKey, .importAppleKey, .moveAppleKey, .connectApple, .updateAppleConnection:
            try await makeApple(step, change)
        case .createUser, .renameUser, .resetPassword, .resetTOTP: try await makeUser(step, change)
        default: try await makeRegistered(step, change)
        }
    }

    private func makeTeam(_ step: PlannedChange, _ change: borrowing Change) async throws {
        switch step {
        case .createTeam(_, let settings):
            try await TeamStore.create(settings, owner: nil, change)
            try await provisioner.prepareTeam(change)
        case .updateTeam(_, let old, let new): try await ProvisionedTeamStore.update(from: old, to: new, change)
        default: return
        }
    }

    private func remove(_ step: PlannedChange, _ change: borrowing Change) async throws {
        let reason = Self.reason
        switch step {
        case .revokeKey(let key): _ = try await provisioner.keys.revoke(key.id, reason: reason, change)
        case .deleteServiceID(let service):
            _ = try await provisioner.serviceIDs.delete(service.identifier, reason: reason, change)
        case .deleteAppID(let app, _, _):
            _ = try await provisioner.appIDs.delete(app.identifier, reason: reason, change)
        case .deleteEmailSource(let source): _ = try await provisioner.emailSources.delete(source, reason: nil, change)
        case .deleteUser(let user):
            _ = try await AccountDeletion(provisioner.database, random: .system).delete(
                user.subject, reason: Self.reason, change)
        default: return
        }
    }

    private func makeRegistered(_ step: PlannedChange, _ change: borrowing Change) async throws {
        switch step {
        case .createAppID(let draft): _ = try await provisioner.appIDs.create(draft, change)
        case .updateAppID(_, let draft): _ = try await provisioner.appIDs.update(to: draft, version: nil, change)
        case .createServiceID(let draft): _ = try await provisioner.serviceIDs.create(draft, change)
        case .updateServiceID(_, let draft):
            _ = try await provisioner.serviceIDs.update(to: draft, version: nil, change)
        case .registerKey(let key): _ = try await provisioner.keys.register(key, change)
        case .renameKey(let key, let name): _ = try await provisioner.keys.rename(key.id, to: name, change)
        case .createEmailSource(let draft): try await provisioner.emailSources.create(draft, change)
        case .updateEmailSource(_, let draft):
            _ = try await provisioner.emailSources.update(to: draft, version: nil, change)
        default: return
        }
    }

    private func makeUser(_ step: PlannedChange, _ change: borrowing Change) async throws {
        switch step {
        case .createUser(let user):
            let hash = hashes[user.login]
            guard hash != nil || user.password == nil else { throw Outdated() }
            let new = NewUser(name: user.name, email: user.email, password: hash)
            let subject = try await provisioner.users.create(new, change)
            if let secret = user.totpSecret { try await provisioner.totp.set(secret, of: subject, change) }
        case .renameUser(let user, let name): try await ProvisionedUserStore.rename(user, to: name, change)
        case .resetPassword(let user, _):
            guard let hash = hashes[user.login] else { throw Outdated() }
            _ = try await PasswordStore.set(hash, for: user.subject, change)
        case .resetTOTP(let user, let secret): try await provisioner.totp.set(secret, of: user.subject, change)
        default: return
        }
    }

    /// Changes the team's connections to Apple and Apple keys.
    private func makeApple(_ step: PlannedChange, _ change: borrowing Change) async throws {
        let (keys, connections) = (provisioner.appleKeys, provisioner.appleConnections)
        switch step {
        case .disconnectApple(let connection):
            _ = try await connections.delete(of: connection.appID, reason: Self.reason, change)
        case .deleteAppleKey(let key): _ = try await keys.delete(key.id, reason: Self.reason, change)
        case .importAppleKey(let key): _ = try await keys.create(key, change)
        case .moveAppleKey(let key, let settings):
            _ = try await keys.update(key.id, to: settings, version: key.version, change)
        case .connectApple(let draft), .updateAppleConnection(_, let draft):
            _ = try await connections.save(draft, over: .any, change)
        default: return
        }
    }
}
