import Audit
public import Bytes
public import Crypto
public import Domain
public import Log
public import Postgres

/// Sets up an installation: its first operator, who owns its first team.
public struct FirstRun: Sendable {
    /// What came of it.
    public enum Outcome: Hashable, Sendable {
        case completed(operator: Subject, team: TeamID)
        /// The link is unknown, over, in use, or the installation has its operator.
        case refused
    }

    /// Somebody else has become the first operator meanwhile.
    private struct Over: Error {}

    private let database: TeamDatabase
    private let links: SetupLinkStore
    private let teams: TeamStore
    private let log: Log

    public init(
        _ database: TeamDatabase,
        _ system: SystemDatabase,
        random: RandomSource = .system,
        log: Log = Log(threshold: .warning)
    ) {
        self.database = database
        links = SetupLinkStore(system, random: random)
        teams = TeamStore(database, random: random)
        self.log = log
    }

    /// Uses a link: makes the operator and their team, all or nothing.
    ///
    /// The link is claimed first, under the role that may; then everything else happens in one transaction, first
    /// under the system team's setting, then under the new team's. An error gives the link back, and so does a
    /// crash, a minute later. Once the transaction has committed there is an operator, and no link works again.
    ///
    /// - Parameters:
    ///   - id: the team's, drawn at random where none is given.
    ///   - makeOperator: adds the console account to the system team in the transaction it is lent, and returns
    ///     its `sub`.
    ///   - furnish: gives the new team what it cannot do without, in the same transaction, which is then under
    ///     that team's setting.
    /// - Throws: whatever `makeOperator` and `furnish` throw, `TeamStore.Failure.idTaken`, `PostgresFailure`.
    public func complete(
        _ token: LinkToken,
        team settings: TeamSettings,
        as id: TeamID? = nil,
        from origin: Origin,
        at now: Timestamp = .now(),
        makeOperator: (borrowing Transaction) async throws -> Subject,
        furnish: (TeamID, borrowing Transaction) async throws -> Void = { _, _ in }
    ) async throws -> Outcome {
        guard try await links.claim(token, at: now) else { return .refused }
        let team = id ?? teams.drawID()
        do {
            let account = try await database.transaction(in: .system) { transaction in
                try await Self.requireNoOperator(transaction)
                let account = try await makeOperator(transaction)
                try await Self.makeOperator(account, from: origin, transaction)
                try await transaction.query("SELECT set_config('pippin.team', \(team), true)")
                try await TeamStore.create(
                    settings,
                    as: team,
                    owner: account,
                    by: .member(account),
                    from: origin,
                    transaction
                )
                try await furnish(team, transaction)
                return account
            }
            return .completed(operator: account, team: team)
        } catch is Over {
            return .refused
        } catch {
            // Whatever goes wrong here too, the first error tells more; the claim lapses by itself.
            await log.attempt("setup_link.not_released", request: origin.requestID) {
                try await links.release(token, claimedAt: now)
            }
            throw error
        }
    }

    /// Two links may be used at once; the lock on the system team makes one of them the first.
    private static func requireNoOperator(_ transaction: borrowing Transaction) async throws {
        try await transaction.query(
            "SELECT FROM teams WHERE team_id = \(TeamID.system) FOR NO KEY UPDATE"
        )
        let isFree = try await transaction.query("SELECT WHERE \(SetupLinkStore.hasNoOperator)")
        guard !isFree.isEmpty else { throw Over() }
    }

    private static func makeOperator(
        _ account: Subject,
        from origin: Origin,
        _ transaction: borrowing Transaction
    ) async throws {
        let actor = Actor.member(account)
        try await MembershipStore.add(
            account,
            as: .operator,
            to: .system,
            by: actor,
            from: origin,
            transaction
        )
        try await AuditEvent("setup.completed", by: actor, on: .team(.system), from: origin)
            .record(in: .system, transaction)
    }
}
