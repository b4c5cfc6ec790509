import Crypto
import Domain
import EventLoop
import OAuth
import Postgres
import Tenancy
import Web

/// Creates a team with its owner and its RSA signing key in one transaction, so that it can sign tokens at once.
struct TeamCreation: Sendable {
    /// Number of random ids to try; with 36^10 ids even one collision is unlikely.
    private static let draws = 3

    private let database: TeamDatabase
    private let server: ServerContext
    private let pool: BlockingPool

    init(_ parts: Console.Parts) {
        database = parts.database
        server = parts.server
        pool = parts.pool
    }

    /// Generates a key outside the event loop, because it takes a processor core a tenth of a second or more.
    ///
    /// - Throws: `UserFacingError.unavailable` when the queue of the blocking pool is full.
    func makeKey() async throws -> RSASigningKey {
        do { return try await pool.run { try RSASigningKey.generate() } } catch is BlockingPool.Full {
            throw UserFacingError.unavailable
        }
    }

    /// Stores the key of a team in the transaction that creates the team.
    func install(_ key: RSASigningKey, in team: TeamID, _ transaction: borrowing Transaction)
        async throws(PostgresFailure)
    {
        try await SigningKeyStore.insert(
            key, for: team, activeFrom: server.clock(), keyRing: server.keyRing, in: transaction)
    }

    /// Creates a team with the operator as its owner.
    ///
    /// - Throws: `TeamStore.Failure.idTaken` for a requested id that is taken, `PostgresFailure`.
    func found(_ team: NewTeamForm.Accepted, by context: AccountContext) async throws -> TeamID {
        let key = try await makeKey()
        if let id = team.id {
            try await create(team.settings, as: id, key, by: context)
            return id
        }
        for _ in 1..<Self.draws {
            let id = drawID()
            do {
                try await create(team.settings, as: id, key, by: context)
                return id
            } catch TeamStore.Failure.idTaken { continue }
        }
        let id = drawID()
        try await create(team.settings, as: id, key, by: context)
        return id
    }

    private func create(_ settings: TeamSettings, as id: TeamID, _ key: RSASigningKey, by context: AccountContext)
        async throws
    {
        try await database.transaction(in: id) { transaction in
            try await TeamStore.create(
                settings, as: id, owner: context.account.subject, by: context.actor, from: context.origin, transaction)
            try await install(key, in: id, transaction)
        }
    }

    private func drawID() -> TeamID {
        let text = server.random.text(TenCharacterID.length, from: .identifier)
        guard let id = TeamID(rawValue: text) else { preconditionFailure("the alphabet is that of team ids") }
        return id
    }
}
