import Core
import Crypto
import Platform
import Postgres

@testable import Registry

extension Actor { static let ada = Actor.member(.ada) }

// What Ada does from this machine, at Acme unless said otherwise.
extension AppIDStore {
    @discardableResult func create(_ draft: AppID.Draft, in team: TeamID = .acme) async throws -> AppID {
        try await database.change(in: team, by: .ada, from: .local) { change in try await create(draft, change) }
    }

    @discardableResult func update(to draft: AppID.Draft, version: Int = 1, in team: TeamID = .acme) async throws
        -> Update<AppID>
    {
        try await database.change(in: team, by: .ada, from: .local) { change in
            try await update(to: draft, version: version, change)
        }
    }

    @discardableResult func delete(_ id: ClientID, reason: String = "No use", in team: TeamID = .acme) async throws
        -> AppIDConsequences?
    {
        try await database.change(in: team, by: .ada, from: .local) { change in
            try await delete(id, reason: reason, change)
        }
    }
}

extension ServiceIDStore {
    @discardableResult func create(_ draft: ServiceID.Draft, in team: TeamID = .acme) async throws -> ServiceID {
        try await database.change(in: team, by: .ada, from: .local) { change in try await create(draft, change) }
    }

    @discardableResult func update(to draft: ServiceID.Draft, version: Int = 1, in team: TeamID = .acme) async throws
        -> Update<ServiceID>
    {
        try await database.change(in: team, by: .ada, from: .local) { change in
            try await update(to: draft, version: version, change)
        }
    }

    @discardableResult func delete(_ id: ClientID, reason: String = "No use", in team: TeamID = .acme) async throws
        -> ServiceID?
    {
        try await database.change(in: team, by: .ada, from: .local) { change in
            try await delete(id, reason: reason, change)
        }
    }
}

extension EmailSourceStore {
    @discardableResult func create(_ draft: EmailSource.Draft, in team: TeamID = .acme) async throws
        -> RegisteredEmailSource
    { try await database.change(in: team, by: .ada, from: .local) { change in try await create(draft, change) } }

    func update(to draft: EmailSource.Draft, version: Int) async throws -> Update<RegisteredEmailSource> {
        try await database.change(in: .acme, by: .ada, from: .local) { change in
            try await update(to: draft, version: version, change)
        }
    }

    func delete(_ source: EmailSource, in team: TeamID = .acme) async throws -> Bool {
        try await database.change(in: team, by: .ada, from: .local) { change in
            try await delete(source, reason: nil, change)
        }
    }
}

extension KeyStore {
    @discardableResult func issue(_ name: String = "CI", of app: String = "com.acme.app") async throws -> Key {
        try await issue(Key.Issue(name: name, appID: app), in: .acme, by: .ada, from: .local)
    }

    func download(_ id: KeyID, in team: TeamID = .acme) async throws -> KeyDownload {
        try await download(id, in: team, by: .ada, from: .local)
    }

    @discardableResult func revoke(_ id: KeyID, reason: String = "No use", in team: TeamID = .acme) async throws -> Key?
    { try await database.change(in: team, by: .ada, from: .local) { try await revoke(id, reason: reason, $0) } }
}

extension DomainStore {
    @discardableResult func note(
        _ finding: DomainFinding, of domain: DomainName = DomainName(stored: "acme.example"), in team: TeamID = .acme
    ) async throws -> RegisteredDomain? { try await note(finding, of: domain, in: team, by: .ada, from: .local) }
}

extension Registered {
    /// Registers a key of `com.acme.app` that was made elsewhere.
    @discardableResult func register(_ registration: Key.Registration, in team: TeamID = .acme) async throws -> Key {
        try await database.change(in: team, by: .ada, from: .local) { change in
            try await keys.register(registration, change)
        }
    }

    /// Brings a key of Apple's for `com.acme.app`.
    @discardableResult func bring(
        _ id: String = "KEY1234567", _ pem: String = P256SigningKey.generate().pem, in team: TeamID = .acme
    ) async throws -> AppleKey {
        let new = try AppleKey.Import(
            id, of: "com.acme.app", privateKey: pem, ["name": "Acme at Apple", "teamID": "ABCDE12345"])
        return try await database.change(in: team, by: .ada, from: .local) { change in
            try await appleKeys.create(new, change)
        }
    }

    func update(_ key: AppleKey, to settings: AppleKey.Settings, in team: TeamID = .acme) async throws -> Update<
        AppleKey
    > {
        try await database.change(in: team, by: .ada, from: .local) { change in
            try await appleKeys.update(key.id, to: settings, version: 1, change)
        }
    }

    func delete(_ key: AppleKey, in team: TeamID = .acme) async throws -> AppleKey? {
        try await database.change(in: team, by: .ada, from: .local) { change in
            try await appleKeys.delete(key.id, reason: "No use", change)
        }
    }

    /// Connects `com.acme.app` to Apple by such a key.
    @discardableResult func connect(by key: KeyID, in team: TeamID = .acme) async throws -> Update<AppleConnection> {
        let draft = try AppleConnection.Draft(
            "com.acme.app", ["servicesID": "com.acme.siwa", "keyID": .string(key.rawValue)])
        return try await database.change(in: team, by: .ada, from: .local) { change in
            try await AppleConnectionStore(database).save(draft, over: .none, change)
        }
    }
}
