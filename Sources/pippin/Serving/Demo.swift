import Accounts
import Core
import Crypto
import Directory
import EventLoop
import Federation
import Glibc
import HTTP
import OAuth
import Platform
import Registry
import SignIn
import Simulator

/// The demo: a sandbox team with one app, one user, and a sample app on another site of the same server.
struct Demo: Sendable {
    static let teamID = "DEMOTEAM01"
    static let appID = "example.acme.shop"
    private static let clientID = "example.acme.web"
    private static let email = "ada@acme.example"
    private static let password = "plant-a-pip-today"

    let registration: SampleApp.Registration

    /// Address of the sample app's first page.
    var address: String { registration.origin + SampleApp.home.link() }

    /// Applies the demo's registry; repeating it changes nothing.
    static func load(_ process: ServerProcess) throws(CommandFailure) -> Demo {
        let key = try signingKey(in: process.installation.settings)
        let demo = Demo(registration: registration(key, process))
        let resources = process.installation.settings.resources
        let report = try ApplyCommand.apply(try demo.file(resources), ApplyOptions(), in: process)
        if case .refused(let problems) = report.outcome { throw refusal(problems, resources) }
        try demo.admitOperators(process)
        return demo
    }

    /// Registration of the sample app, on `127.0.0.1` if Pippin is on `localhost`, so that sign-ins are cross-site.
    private static func registration(_ key: P256SigningKey, _ process: ServerProcess) -> SampleApp.Registration {
        let settings = process.installation.settings
        return SampleApp.Registration(
            teamID: teamID, clientID: clientID, keyID: keyID(of: key), key: key, name: "Acme Web",
            issuer: "\(process.server.publicURL)/t/\(teamID)", origin: sampleOrigin(settings), email: email,
            password: password)
    }

    /// A key ID derived from the key.
    static func keyID(of key: P256SigningKey) -> String {
        let fingerprint = SHA256.hash(key.publicKey.der)
        let alphabet = Array(TenCharacterID.alphabet)
        return String(fingerprint.prefix(TenCharacterID.length).map { alphabet[Int($0) % alphabet.count] })
    }

    static func sampleOrigin(_ settings: Settings) -> String {
        "http://\(otherHost(than: settings.publicURL.host)):\(settings.port)"
    }

    private static func otherHost(than host: String) -> String { host == "127.0.0.1" ? "localhost" : "127.0.0.1" }

    private func file(_ resources: Resources) throws(CommandFailure) -> RegistryFile {
        do { return try RegistryFile(parsing: JSON.encode(registry)) { _ in [] } } catch {
            throw Self.refusal(error, resources)
        }
    }

    private static func refusal(_ problems: FieldErrors, _ resources: Resources) -> CommandFailure {
        CommandFailure(problems, after: "the demo was refused: ", saying: resources)
    }

    /// The demo as a registry file.
    private var registry: JSONValue {
        let service: JSONValue = [
            "identifier": .string(Self.clientID), "description": .string(registration.name),
            "domains": ["127.0.0.1", "localhost"], "returnURLs": [.string(registration.returnURL)],
        ]
        let key: JSONValue = [
            "id": .string(registration.keyID), "name": "Sample app", "appID": .string(Self.appID),
            "publicKeyPEM": .string(registration.key.publicKey.pem),
        ]
        let ada: JSONValue = [
            "email": .string(Self.email), "password": .string(Self.password), "givenName": "Ada",
            "familyName": "Lovelace",
        ]
        let app: JSONValue = ["identifier": .string(Self.appID), "description": "Acme", "serviceIDs": [service]]
        return [
            "teams": [
                [
                    "id": .string(Self.teamID), "name": "Demo", "mode": "sandbox",
                    "identitySources": ["directory", "apple"], "appIDs": [app], "keys": [key], "users": [ada],
                ]
            ]
        ]
    }

    /// Makes operators owners of the demo team, so that it appears in their console.
    private func admitOperators(_ process: ServerProcess) throws(CommandFailure) {
        let services = process.loopServices[0]
        do { try services.loop.wait { try await DemoMembers(services).admitOperators() } } catch {
            throw CommandFailure("the demo team cannot be given its owners: \(describing: error)")
        }
    }

    /// The sample app's key, stored in the data directory.
    private static func signingKey(in settings: Settings) throws(CommandFailure) -> P256SigningKey {
        let path = settings.dataDirectory + "/demo-app-key.pem"
        if let text = TextFile.read(path), let key = try? P256SigningKey(pem: text) { return key }
        let key = P256SigningKey.generate()
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw CommandFailure("the demo's key \(path) cannot be written") }
        defer { close(descriptor) }
        let bytes = Array(key.pem.utf8)
        _ = unsafe bytes.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
        return key
    }
}

// The demo's connection to the Apple simulator.
extension Demo {
    private static let servicesID = "example.acme.siwa"

    /// Registers the demo's app at the Apple simulator, then stores the connection in the demo team, as a team would.
    ///
    /// An existing connection is kept.
    func connect(to simulation: Simulation, in process: ServerProcess) throws(CommandFailure) {
        guard let team = TeamID(rawValue: Self.teamID) else { return }
        let database = process.loopServices[0].database
        let keys = AppleKeyStore(database, keyRing: process.server.keyRing)
        let connections = AppleConnectionStore(database)
        let key = P256SigningKey.generate()
        let keyID = Self.keyID(of: key)
        do {
            let isConnected = try process.loops[0].wait { try await !connections.list(in: team).isEmpty }
            guard !isConnected, let client = Self.client(key, in: team, process) else { return }
            try simulation.register(client, in: process)
            let imported = try AppleKey.Import(
                keyID, of: Self.appID, privateKey: key.pem, ["name": "Demo", "teamID": .string(Simulator.teamID)])
            let draft = try AppleConnection.Draft(
                Self.appID, ["servicesID": .string(Self.servicesID), "keyID": .string(keyID)])
            try process.loops[0].wait {
                try await database.change(in: team, by: .system("demo"), from: .local) { change in
                    _ = try await keys.create(imported, change)
                    _ = try await connections.save(draft, over: .none, change)
                }
            }
        } catch { throw CommandFailure("the demo cannot be connected to the Apple simulator: \(describing: error)") }
    }

    /// The demo's app as it is registered at the simulator.
    private static func client(_ key: P256SigningKey, in team: TeamID, _ process: ServerProcess) -> Simulation.Client? {
        guard let keyID = KeyID(rawValue: keyID(of: key)), let appleTeam = AppleTeamID(rawValue: Simulator.teamID),
            let app = ClientID(rawValue: appID), let servicesID = ClientID(rawValue: servicesID)
        else { return nil }
        let registration = AppleRegistration(
            team: team, appID: app, teamID: appleTeam, servicesID: servicesID, bundleIDs: [app], keyID: keyID, key: key)
        return Simulation.Client(
            registration: registration, returnURL: process.server.returnURL(of: .apple, in: team),
            notificationURL: process.server.notificationURL(of: .apple, in: team))
    }
}

/// The members of the demo team.
struct DemoMembers: Sendable {
    private let database: TeamDatabase

    init(_ services: LoopServices) { database = services.database }

    private var memberships: MembershipStore { MembershipStore(database) }

    /// Makes every operator an owner of the demo team.
    func admitOperators() async throws {
        for member in try await memberships.list(in: .system) where member.role == .operator {
            try await admit(member.account)
        }
    }

    /// Makes an account an owner of the demo team, unless it is a member already.
    func admit(_ account: Subject) async throws {
        guard let team = TeamID(rawValue: Demo.teamID), try await memberships.find(account, in: team) == nil else {
            return
        }
        try await database.change(in: team, by: .system("demo"), from: .local) { change in
            try await MembershipStore.add(account, as: .owner, change)
        }
    }
}
