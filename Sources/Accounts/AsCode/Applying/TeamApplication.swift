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
        let team = plan.team
        return try await provisioner.database.transaction(in: team) { transaction in
            let registered = try await provisioner.read(team, plan.entry.users(options), transaction)
            let plan = try TeamPlan(self.plan.entry, at: self.plan.path, from: registered, options)
            for change in plan.changes {
                do { try await make(change, in: team, transaction) } catch { throw explain(error, change) }
            }
            return plan
        }
    }

    /// Converts an error of a store that the plan did not foresee to a message; returns other errors unchanged.
    private func explain(_ error: any Error, _ change: Change) -> any Error {
        let reason: Message
        switch error {
        case let refusal as ValidationError: reason = refusal.message
        case TeamStore.Failure.idTaken: return Outdated()
        case UserStore.Failure.loginTaken: reason = Message("console.refusals.apply.login-taken")
        default: return error
        }
        let message = Message("console.refusals.apply.change", ["change": change.line, "problem": reason])
        return InvalidFields([FieldError(field: plan.path, message: message)])
    }

    private func make(_ change: Change, in team: TeamID, _ transaction: borrowing Transaction) async throws {
        switch change {
        case .createTeam, .updateTeam: try await makeTeam(change, in: team, transaction)
        case .revokeKey, .deleteServiceID, .deleteAppID, .deleteEmailSource, .deleteUser:
            try await remove(change, in: team, transaction)
        case .disconnectApple, .deleteAppleKey, .importAppleKey, .moveAppleKey, .connectApple, .updateAppleConnection:
            try await makeApple(change, in: team, transaction)
        case .createUser, .renameUser, .resetPassword, .resetTOTP: try await makeUser(change, in: team, transaction)
        default: try await makeRegistered(change, in: team, transaction)
        }
    }

    private func makeTeam(_ change: Change, in team: TeamID, _ transaction: borrowing Transaction) async throws {
        switch change {
        case .createTeam(_, let settings):
            try await TeamStore.create(settings, as: team, owner: nil, by: actor, from: origin, transaction)
            try await provisioner.prepareTeam(team, transaction)
        case .updateTeam(_, let old, let new):
            try await ProvisionedTeamStore.update(team, from: old, to: new, by: actor, from: origin, transaction)
        default: return
        }
    }

    private func remove(_ change: Change, in team: TeamID, _ transaction: borrowing Transaction) async throws {
        let reason = Self.reason
        switch change {
        case .revokeKey(let key):
            _ = try await provisioner.keys.revoke(
                key.id, reason: reason, in: team, by: actor, from: origin, transaction)
        case .deleteServiceID(let service):
            _ = try await provisioner.serviceIDs.delete(
                service.identifier, reason: reason, in: team, by: actor, from: origin, transaction)
        case .deleteAppID(let app, _, _):
            _ = try await provisioner.appIDs.delete(
                app.identifier, reason: reason, in: team, by: actor, from: origin, transaction)
        case .deleteEmailSource(let source):
            _ = try await provisioner.emailSources.delete(
                source, reason: nil, in: team, by: actor, from: origin, transaction)
        case .deleteUser(let user):
            _ = try await AccountDeletion(provisioner.database, random: .system).delete(
                user.subject, in: team, by: actor, from: origin, reason: Self.reason, transaction)
        default: return
        }
    }

    private func makeRegistered(_ change: Change, in team: TeamID, _ transaction: borrowing Transaction) async throws {
        switch change {
        case .createAppID(let draft):
            _ = try await provisioner.appIDs.create(draft, in: team, by: actor, from: origin, transaction)
        case .updateAppID(_, let draft):
            _ = try await provisioner.appIDs.update(
                to: draft, version: nil, in: team, by: actor, from: origin, transaction)
        case .createServiceID(let draft):
            _ = try await provisioner.serviceIDs.create(draft, in: team, by: actor, from: origin, transaction)
        case .updateServiceID(_, let draft):
            _ = try await provisioner.serviceIDs.update(
                to: draft, version: nil, in: team, by: actor, from: origin, transaction)
        case .registerKey(let key):
            _ = try await provisioner.keys.register(key, in: team, by: actor, from: origin, transaction)
        case .renameKey(let key, let name):
            _ = try await provisioner.keys.rename(key.id, to: name, in: team, by: actor, from: origin, transaction)
        case .createEmailSource(let draft):
            try await provisioner.emailSources.create(draft, in: team, by: actor, from: origin, transaction)
        case .updateEmailSource(_, let draft):
            _ = try await provisioner.emailSources.update(
                to: draft, version: nil, in: team, by: actor, from: origin, transaction)
        default: return
        }
    }

    private func makeUser(_ change: Change, in team: TeamID, _ transaction: borrowing Transaction) async throws {
        switch change {
        case .createUser(let user):
            let hash = hashes[user.login]
            guard hash != nil || user.password == nil else { throw Outdated() }
            let new = NewUser(name: user.name, email: user.email, password: hash)
            let subject = try await provisioner.users.create(new, in: team, by: actor, from: origin, transaction)
            if let secret = user.totpSecret { try await set(secret, of: subject, in: team, transaction) }
        case .renameUser(let user, let name):
            try await ProvisionedUserStore.rename(user, to: name, in: team, by: actor, from: origin, transaction)
        case .resetPassword(let user, _):
            guard let hash = hashes[user.login] else { throw Outdated() }
            _ = try await PasswordStore.set(hash, for: user.subject, in: team, by: actor, from: origin, transaction)
        case .resetTOTP(let user, let secret): try await set(secret, of: user.subject, in: team, transaction)
        default: return
        }
    }

    private func set(_ secret: TOTPSecret, of subject: Subject, in team: TeamID, _ transaction: borrowing Transaction)
        async throws
    { try await provisioner.totp.set(secret, of: subject, in: team, by: actor, from: origin, transaction) }

    /// Changes the team's connections to Apple and Apple keys.
    private func makeApple(_ change: Change, in team: TeamID, _ transaction: borrowing Transaction) async throws {
        let (keys, connections) = (provisioner.appleKeys, provisioner.appleConnections)
        switch change {
        case .disconnectApple(let connection):
            _ = try await connections.delete(
                of: connection.appID, reason: Self.reason, in: team, by: actor, from: origin, transaction)
        case .deleteAppleKey(let key):
            _ = try await keys.delete(key.id, reason: Self.reason, in: team, by: actor, from: origin, transaction)
        case .importAppleKey(let key): _ = try await keys.create(key, in: team, by: actor, from: origin, transaction)
        case .moveAppleKey(let key, let draft):
            _ = try await keys.update(to: draft, version: key.version, in: team, by: actor, from: origin, transaction)
        case .connectApple(let draft), .updateAppleConnection(_, let draft):
            _ = try await connections.save(draft, over: .any, in: team, by: actor, from: origin, transaction)
        default: return
        }
    }
}
