import AuthEngine
import Bytes
import Crypto
import Domain
import EventLoop
import Glibc
import HTTP
import Provisioning
import Registry
import SampleApp
import Tenancy
import Web

/// The demo: a sandbox team with one app, one person, and a sample app on another site of the same server.
struct Demo: Sendable {
    static let teamID = "DEMOTEAM01"
    static let appID = "example.acme.shop"
    private static let clientID = "example.acme.web"
    private static let email = "ada@acme.example"
    private static let password = "plant-a-pip-today"

    let registration: SampleApp.Registration

    /// Where the sample app begins.
    var address: String { registration.origin + SampleApp.home.link() }

    /// Applies the demo's registry, which changes nothing when it was applied before.
    static func load(_ house: House) throws(CommandFailure) -> Demo {
        let key = try signingKey(in: house.installation.settings)
        let demo = Demo(registration: registration(key, house))
        let resources = house.installation.settings.resources
        let report = try ApplyCommand.apply(try demo.file(resources), ApplyOptions(), in: house)
        if case .refused(let problems) = report.outcome { throw refusal(problems, resources) }
        try demo.admitOperators(house)
        return demo
    }

    /// The app's own site: `127.0.0.1` where Pippin is `localhost`, so that the sign-in crosses sites as it does
    /// in the world.
    private static func registration(_ key: P256SigningKey, _ house: House) -> SampleApp.Registration {
        let settings = house.installation.settings
        return SampleApp.Registration(
            teamID: teamID,
            clientID: clientID,
            keyID: keyID(of: key),
            key: key,
            name: "Acme Web",
            issuer: "\(house.context.publicURL)/t/\(teamID)",
            origin: "http://\(otherHost(than: settings.publicURL.host)):\(settings.port)",
            email: email,
            password: password
        )
    }

    /// A name that follows from the key.
    static func keyID(of key: P256SigningKey) -> String {
        let fingerprint = SHA256.hash(key.publicKey.der)
        let alphabet = Array(TenCharacterID.alphabet)
        return String(
            fingerprint.prefix(TenCharacterID.length).map { alphabet[Int($0) % alphabet.count] }
        )
    }

    private static func otherHost(than host: String) -> String {
        host == "127.0.0.1" ? "localhost" : "127.0.0.1"
    }

    private func file(_ resources: Resources) throws(CommandFailure) -> RegistryFile {
        do {
            return try RegistryFile(parsing: JSON.encode(registry)) { _ in [] }
        } catch {
            throw Self.refusal(error.all, resources)
        }
    }

    private static func refusal(_ problems: [Registry.Problem], _ resources: Resources) -> CommandFailure {
        CommandFailure(problems, after: "the demo was refused: ", saying: resources)
    }

    /// The demo as a team would write it down.
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
        let app: JSONValue = [
            "identifier": .string(Self.appID), "description": "Acme", "serviceIDs": [service],
        ]
        return [
            "teams": [
                [
                    "id": .string(Self.teamID), "name": "Acme", "mode": "sandbox",
                    "identitySources": ["directory", "apple"], "appIDs": [app],
                    "keys": [key], "users": [ada],
                ]
            ]
        ]
    }

    /// Operators own the demo team, so that they find it in their console.
    private func admitOperators(_ house: House) throws(CommandFailure) {
        let worker = house.workers[0]
        do {
            try worker.loop.wait { try await DemoMembers(worker).admitOperators() }
        } catch {
            throw CommandFailure("the demo team cannot be given its owners: \(error)")
        }
    }

    /// The sample app's key, kept beside the master key.
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

/// The members of the demo team.
struct DemoMembers: Sendable {
    private let memberships: MembershipStore

    init(_ worker: Worker) {
        memberships = MembershipStore(TeamDatabase(worker.app))
    }

    /// Makes every operator an owner of the demo team.
    func admitOperators() async throws {
        for member in try await memberships.list(in: .system) where member.role == .operator {
            try await admit(member.account)
        }
    }

    /// Makes one person an owner of the demo team, unless they are a member already.
    func admit(_ account: Subject) async throws {
        guard let team = TeamID(rawValue: Demo.teamID),
            try await memberships.find(account, in: team) == nil
        else { return }
        try await memberships.add(account, as: .owner, to: team, by: .system("demo"), from: .local)
    }
}
