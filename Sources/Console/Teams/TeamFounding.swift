import AuthEngine
import Crypto
import Domain
import EventLoop
import Postgres
import Tenancy
import Web

/// Makes a team that can sign tokens from its first moment: the team, its owner and its RSA key in one transaction.
struct TeamFounding: Sendable {
    /// 36^10 ids make even one repetition unlikely.
    private static let draws = 3

    private let database: TeamDatabase
    private let context: EngineContext
    private let pool: BlockingPool

    init(_ parts: Console.Parts) {
        database = parts.database
        context = parts.context
        pool = parts.pool
    }

    /// A new key, made off the loop: it takes a core a tenth of a second and more.
    ///
    /// - Throws: `Problem.unavailable` when more wait already than a person would.
    func makeKey() async throws -> RSASigningKey {
        do {
            return try await pool.run { try RSASigningKey.generate() }
        } catch is BlockingPool.Full {
            throw Problem.unavailable
        }
    }

    /// Gives a team its key, in the transaction that makes the team.
    func install(
        _ key: RSASigningKey,
        in team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) {
        try await SigningKeyStore.insert(
            key,
            for: team,
            activeFrom: context.clock(),
            keyRing: context.keyRing,
            in: transaction
        )
    }

    /// Founds a team for an operator, who becomes its owner.
    ///
    /// - Throws: `TeamStore.Failure.idTaken` for an id that was asked for, `PostgresFailure`.
    func found(_ team: NewTeamForm.Accepted, by visit: Visit) async throws -> TeamID {
        let key = try await makeKey()
        if let id = team.id {
            try await create(team.settings, as: id, key, by: visit)
            return id
        }
        for _ in 1..<Self.draws {
            let id = drawID()
            do {
                try await create(team.settings, as: id, key, by: visit)
                return id
            } catch TeamStore.Failure.idTaken {
                continue
            }
        }
        let id = drawID()
        try await create(team.settings, as: id, key, by: visit)
        return id
    }

    private func create(
        _ settings: TeamSettings,
        as id: TeamID,
        _ key: RSASigningKey,
        by visit: Visit
    ) async throws {
        try await database.transaction(in: id) { transaction in
            try await TeamStore.create(
                settings,
                as: id,
                owner: visit.account.subject,
                by: visit.actor,
                from: visit.origin,
                transaction
            )
            try await install(key, in: id, transaction)
        }
    }

    private func drawID() -> TeamID {
        let text = context.random.text(TenCharacterID.length, from: .identifier)
        guard let id = TeamID(rawValue: text) else { preconditionFailure("the alphabet is that of team ids") }
        return id
    }
}
