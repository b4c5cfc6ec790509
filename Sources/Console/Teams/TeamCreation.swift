import Core
import Crypto
import EventLoop
import HTTP
import OAuth
import Platform
import Postgres
import Registry
import SignIn

/// Creates a team with its owner and its RSA signing key in one transaction, so that it can sign tokens at once.
struct TeamCreation: Sendable {
    /// Number of random ids to try; with 36^10 ids even one collision is unlikely.
    private static let attempts = 3

    let parts: Console.Parts

    /// Generates a key outside the event loop, because it takes a processor core a tenth of a second or more.
    ///
    /// - Throws: `UserFacingError.unavailable` when the queue of the blocking pool is full.
    func makeKey() async throws -> RSASigningKey {
        do { return try await parts.pool.run { try RSASigningKey.generate() } } catch is BlockingPool.Full {
            throw UserFacingError.unavailable
        }
    }

    /// Stores the key of a team in the change that creates the team.
    func install(_ key: RSASigningKey, _ change: borrowing Change) async throws(PostgresFailure) {
        let server = parts.server
        try await SigningKeyStore.insert(key, activeFrom: server.clock(), keyRing: server.keyRing, change)
    }

    /// Creates a team with the operator as its owner.
    ///
    /// - Throws: `TeamStore.Failure.idTaken` for a requested id that is taken, `PostgresFailure`.
    func create(_ team: NewTeamForm.Accepted, by context: AccountContext) async throws -> TeamID {
        let key = try await makeKey()
        if let id = team.id {
            try await create(team.settings, as: id, key, by: context)
            return id
        }
        for _ in 1..<Self.attempts {
            let id = TeamID(random: parts.server.random)
            do {
                try await create(team.settings, as: id, key, by: context)
                return id
            } catch TeamStore.Failure.idTaken { continue }
        }
        let id = TeamID(random: parts.server.random)
        try await create(team.settings, as: id, key, by: context)
        return id
    }

    private func create(_ settings: TeamSettings, as id: TeamID, _ key: RSASigningKey, by context: AccountContext)
        async throws
    {
        try await parts.database.change(in: id, by: context.actor, from: context.origin) { change in
            try await TeamStore.create(settings, owner: context.account.subject, change)
            try await install(key, change)
        }
    }
}

/// Form of a new team: name, id and mode as entered, with errors.
struct NewTeamForm: Sendable {
    private let nameField: FieldPath
    private(set) var name = ""
    private(set) var teamID = ""
    private(set) var mode: TeamMode
    var errors = FieldErrors()

    /// Valid input of the form.
    struct Accepted: Sendable {
        let settings: TeamSettings
        /// Nil for a random id.
        let id: TeamID?
    }

    /// - Parameters:
    ///   - nameField: name of the form field with the team's name.
    ///   - host: host name of Pippin's public URL; on a loopback host, sandbox mode is preselected.
    init(nameField: FieldPath, host: String) {
        self.nameField = nameField
        mode = HostPolicy.isLoopback(host) ? .sandbox : .production
    }

    /// Reads the form; nil if a field is invalid, with its error in `errors`.
    mutating func read(_ form: Form) -> Accepted? {
        (name, teamID) = (form[nameField.name] ?? "", form["team_id"] ?? "")
        mode = form["mode"].flatMap(TeamMode.init) ?? .production
        let name = errors.require(
            TeamName(rawValue: name), nameField,
            self.name.isEmpty
                ? Message("console.teams.name.missing")
                : Message("console.teams.name.too-long", count: TeamName.maximumLength))
        let id = readID()
        guard let name, errors.isEmpty else { return nil }
        return Accepted(settings: TeamSettings(name: name, mode: mode), id: id)
    }

    /// Adds the error that the id is or was used by a team.
    mutating func refuseID() { errors.add("team_id", Message("console.teams.id.taken")) }

    var nameView: Input {
        Input(nameField.name, Message("console.teams.name"), name, placeholder: "Acme", errors: errors)
    }

    var teamIDView: Input {
        Input(
            "team_id", Message("console.teams.id"), teamID, placeholder: "ACMETEAM01",
            hint: Message("console.teams.id.hint"), errors: errors, isRequired: false, isCode: true)
    }

    var modeView: Input { .mode(mode) }

    private mutating func readID() -> TeamID? {
        let typed = teamID.typedCode.withoutWhiteSpace
        guard !typed.isEmpty else { return nil }
        let message = Message("console.teams.id.wrong")
        guard let id = errors.require(TeamID(rawValue: typed), "team_id", message) else { return nil }
        if id == .system { refuseID() }
        return id
    }
}
