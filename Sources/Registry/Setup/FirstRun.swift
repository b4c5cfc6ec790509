public import Core
public import Crypto
public import Platform
import Postgres

/// Sets up an installation: creates its first operator, who owns its first team.
public struct FirstRun: Sendable {
    /// Result of the setup.
    public enum Outcome: Hashable, Sendable {
        case completed(operator: Subject, team: TeamID)
        /// The link is unknown, expired or in use, or the installation already has an operator.
        case refused
    }

    /// Error: another request created the first operator meanwhile.
    private struct Over: Error {}

    private let database: TeamDatabase
    private let links: SetupLinkStore
    private let random: RandomSource
    private let log: Log

    public init(
        _ database: TeamDatabase, _ system: SystemDatabase, random: RandomSource = .system,
        log: Log = Log(threshold: .warning)
    ) {
        self.database = database
        links = SetupLinkStore(system, random: random)
        self.random = random
        self.log = log
    }

    /// Uses a link: creates the operator and their team, all or nothing.
    ///
    /// The link is claimed first, under the system role; then everything else happens in one transaction, first under
    /// the system team's setting, then under the new team's. After an error the link is usable again, after a crash a
    /// minute later. Once the transaction has committed there is an operator, and no link works any more.
    ///
    /// - Parameters:
    ///   - id: the id of the team; drawn at random when nil.
    ///   - makeOperator: adds the console account to the system team, and returns its `sub`.
    ///   - setUp: creates what the new team requires.
    /// - Throws: any error of `makeOperator` and `setUp`, `TeamStore.Failure.idTaken`, `PostgresFailure`.
    public func complete(
        _ token: LinkToken, team settings: TeamSettings, as id: TeamID? = nil, from origin: Origin,
        at now: Timestamp = .now(), makeOperator: (borrowing Change) async throws -> Subject,
        setUp: (borrowing Change) async throws -> Void = { _ in }
    ) async throws -> Outcome {
        guard try await links.claim(token, at: now) else { return .refused }
        let team = id ?? TeamID(random: random)
        do {
            let account = try await database.change(in: .system, by: .system("setup"), from: origin) { change in
                try await Self.requireNoOperator(change)
                let account = try await makeOperator(change)
                try await change.acting(by: .member(account)) { change in
                    try await MembershipStore.add(account, as: .operator, change)
                    try await change.record("setup.completed", .team(.system))
                }
                try await change.acting(in: team, by: .member(account)) { change in
                    try await TeamStore.create(settings, owner: account, change)
                    try await setUp(change)
                }
                return account
            }
            return .completed(operator: account, team: team)
        } catch is Over { return .refused } catch {
            // If this fails too, the first error matters more, and the claim lapses by itself.
            await log.attempt("setup_link.not_released", request: origin.requestID) {
                try await links.release(token, claimedAt: now)
            }
            throw error
        }
    }

    /// Throws when there is an operator; the lock on the system team serializes two links that are used at once.
    private static func requireNoOperator(_ change: borrowing Change) async throws {
        try await change.lockTeam()
        let isFree = try await change.query("SELECT WHERE \(SetupLinkStore.hasNoOperator)")
        guard !isFree.isEmpty else { throw Over() }
    }
}
