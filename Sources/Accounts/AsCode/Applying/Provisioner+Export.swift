import Core
import Directory
public import Platform
import Registry

extension Provisioner {
    /// The team as a registry file without secrets; nil when there is no such team.
    ///
    /// Applied to the same team, the file changes nothing. Revoked keys are omitted, and so are users who do not sign
    /// in with their address, because a file cannot name them.
    public func export(_ team: TeamID) async throws -> RegistryFile? {
        let registered = try await database.transaction(in: team) { transaction in
            try await read(team, .all, transaction)
        }
        return registered.settings.map { settings in
            RegistryFile(teams: [RegistryFile.Team(team, settings, registered)])
        }
    }
}

extension RegistryFile {
    /// The file as JSON with sorted members, so that two exports of the same team are equal.
    public var json: [UInt8] { JSON.encode(self, pretty: true) + [UInt8(ascii: "\n")] }
}

extension RegistryFile.Team {
    fileprivate init(_ team: TeamID, _ settings: TeamSettings, _ registered: RegisteredTeam) {
        id = team.rawValue
        name = settings.name.rawValue
        mode = settings.mode.rawValue
        identitySources = settings.identitySources.map(\.rawValue)
        secondFactor = settings.secondFactor.rawValue
        appIDs = registered.appIDs.map { app in
            RegistryFile.AppID(
                app, registered.serviceIDs.filter { $0.appID == app.identifier },
                registered.appleConnections.first { $0.appID == app.identifier })
        }
        keys = registered.keys.filter(\.isActive).map(RegistryFile.Key.init)
        emailSources = registered.emailSources.map(RegistryFile.EmailSource.init)
        users = registered.users.map(RegistryFile.User.init)
    }
}

extension RegistryFile.AppID {
    fileprivate init(_ app: AppID, _ services: [ServiceID], _ connection: AppleConnection?) {
        identifier = app.identifier.rawValue
        description = app.description
        notificationURL = app.notificationURL?.text
        primary = app.primary?.rawValue
        signIn = app.isEnabled
        issuer = app.issuer.rawValue
        apple = connection.map(RegistryFile.Apple.init)
        serviceIDs = services.map(RegistryFile.ServiceID.init)
    }
}

extension RegistryFile.Apple {
    /// Exports the file name that Apple uses instead of the private key, which is not exported.
    fileprivate init(_ connection: AppleConnection) {
        teamID = connection.appleTeamID.rawValue
        servicesID = connection.servicesID.rawValue
        keyID = connection.keyID.rawValue
        privateKeyFile = "AuthKey_\(connection.keyID).p8"
    }
}

extension RegistryFile.ServiceID {
    fileprivate init(_ service: ServiceID) {
        identifier = service.identifier.rawValue
        description = service.description
        domains = service.domains.map(\.text)
        returnURLs = service.returnURLs.map(\.text)
        issuer = service.issuer.rawValue
        booleans = service.booleans.rawValue
        requirePKCE = service.requiresPKCE
    }
}

extension RegistryFile.Key {
    fileprivate init(_ key: Key) {
        id = key.id.rawValue
        name = key.name
        appID = key.appID.rawValue
        publicKeyPEM = key.publicKeyPEM
    }
}

extension RegistryFile.EmailSource {
    fileprivate init(_ draft: EmailSource.Draft) {
        switch draft.source.kind {
        case .domain: (domain, address) = (draft.source.text, nil)
        case .address: (domain, address) = (nil, draft.source.text)
        }
        selectors = draft.selectors.map(\.text)
    }
}

extension RegistryFile.User {
    fileprivate init(_ user: RegisteredUser) {
        // The login name, because it identifies the user when the file is applied.
        email = user.login.rawValue
        givenName = user.givenName
        familyName = user.familyName
    }
}
