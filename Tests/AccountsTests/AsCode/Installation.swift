import Accounts
import Core
import Crypto
import EventLoop
import Platform
import Postgres
import Registry
import Synchronization
@_exported import TestDatabase
import Testing

@testable import Directory

/// A migrated database without teams, and what applies files to it.
struct Installation: OwnedDatabase, Sendable {
    let conninfo: String
    let database: TeamDatabase
    let keyRing: KeyRing
    let provisioner: Provisioner
    let system: SystemDatabase
    /// Invitations in the order of their mails, those of rehearsals as well.
    let sent = Sent()
    /// That of the test that runs.
    @TaskLocal static var lent: Installation?

    static func with(_ body: @escaping @Sendable (Installation) async throws -> Void) async throws {
        try await withDatabase { conninfo in
            let pool = try BlockingPool(name: "test", threads: 1, queueLimit: 100)
            defer { pool.stop() }
            try await ConnectedDatabase.with(conninfo) { connected in
                try await body(Installation(conninfo, connected, pool))
            }
        }
    }

    private init(_ conninfo: String, _ connected: ConnectedDatabase, _ pool: BlockingPool) throws {
        self.conninfo = conninfo
        (database, system) = (connected.database, connected.systemDatabase)
        keyRing = KeyRing(current: try MasterKey.generate(id: "test"))
        provisioner = Provisioner(
            database, keyRing: keyRing,
            hasher: PasswordHasher(pool: pool, judges: pool, argon2id: Argon2id(memoryKiB: 8, passes: 1)),
            apartFrom: OwnAddress(
                ServerContext(publicURL: "https://pippin.example", relayDomain: "relay.example", keyRing: keyRing)),
            sendInvitation: sent.append
        ) { change in
            try await change.query(
                """
                INSERT INTO signing_keys (team_id, kid, private_key_sealed, active_from)
                VALUES (\(change.team), 'first', ''::bytea, now())
                """)
        }
    }

    /// Applies a file's text.
    @discardableResult func apply(_ text: String, _ change: (inout ApplyOptions) -> Void = { _ in }) async throws
        -> ApplyReport
    {
        var options = ApplyOptions()
        change(&options)
        let file = try RegistryFile(parsing: Array(text.utf8)) { _ in throw Missing() }
        return try await provisioner.apply(file, options)
    }

    struct Missing: Error {}

    func export(_ team: TeamID = .acme) async throws -> String {
        var octets: [UInt8] = []
        guard try await provisioner.export(team, { octets += $0 }) else { throw Missing() }
        return String(decoding: octets, as: UTF8.self)
    }

    /// The only value that a statement finds.
    func value(_ statement: String) throws -> String? { try admin(statement).first?.first ?? nil }

    /// How many rows all tables that a file writes to have.
    func rows() throws -> [String: Int] {
        let tables = [
            "teams", "app_ids", "service_ids", "service_domains", "return_urls", "keys", "email_sources", "users",
            "login_names", "passwords", "signing_keys", "audit_events",
        ]
        var counts: [String: Int] = [:]
        for table in tables { counts[table] = try count(table) }
        return counts
    }
}

/// What was sent to invited people.
final class Sent: Sendable {
    private let mails = Mutex<[(issued: InvitationStore.Issued, team: String)]>([])

    var last: (issued: InvitationStore.Issued, team: String)? { mails.withLock { $0.last } }

    func append(_ issued: InvitationStore.Issued, to team: String, _ change: borrowing Change) async throws {
        mails.withLock { $0.append((issued, team)) }
    }
}

extension ApplyReport {
    /// Where the file is refused, and why.
    var problems: [FieldErrors.Element] { if case .refused(let errors) = outcome { errors.all } else { [] } }

    var refusedFields: [String] { problems.map(\.path.description) }
}

/// Registry files of Acme.
enum Files {
    static let publicKey = P256SigningKey.generate().publicKey.pem

    /// One of each.
    static var whole: String { whole() }

    static func whole(
        description: String = "Acme Web", returnURLs: String = #""http://127.0.0.1:9000/callback""#,
        password: String = "correct horse battery", mode: String = "sandbox"
    ) -> String {
        """
        {"teams": [{
            "id": "ACMETEAM01", "name": "Acme", "mode": "\(mode)",
            "identitySources": ["directory"], "secondFactor": "optional",
            "appIDs": [{
                "identifier": "com.acme.app", "description": "Acme",
                "notificationURL": "http://127.0.0.1:9000/notices",
                "serviceIDs": [{
                    "identifier": "com.acme.web", "description": "\(description)", "domains": ["127.0.0.1"],
                    "returnURLs": [\(returnURLs)], "issuer": "own", "booleans": "json", "requirePKCE": false
                }]
            }],
            "keys": [{"id": "ACMEKEY001", "name": "CI", "appID": "com.acme.app", "publicKeyPEM": "\(escaped(publicKey))"}],
            "emailSources": [{"domain": "acme.example", "selectors": ["s2026", "mail"]}, {"address": "ada@mail.example"}],
            "users": [{
                "email": "ada@acme.example", "password": "\(password)", "givenName": "Ada",
                "familyName": "Lovelace"
            }]
        }]}
        """
    }

    /// A team with these members beside its id.
    static func team(_ members: String, id: String = "ACMETEAM01") -> String {
        #"{"teams": [{"id": "\#(id)", \#(members)}]}"#
    }

    /// Why the text is no registry file.
    static func problems(_ text: String) -> [FieldErrors.Element] {
        do throws(FieldErrors) {
            _ = try RegistryFile(parsing: Array(text.utf8)) { _ in throw Installation.Missing() }
            return []
        } catch { return error.all }
    }

    /// Where the faults of the text are.
    static func places(_ text: String) -> [String] {
        let source = JSONSource(Array(text.utf8))
        do throws(FieldErrors) {
            _ = try RegistryFile(source) { _ in throw Installation.Missing() }
            return []
        } catch {
            let (errors, places) = RegistryFile.placed(error, in: source)
            return errors.all.map { "\(places[$0.path]?.description ?? ""): \($0.path)" }
        }
    }

    static func escaped(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\\n")
    }
}
