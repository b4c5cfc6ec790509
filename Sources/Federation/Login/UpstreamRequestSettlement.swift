import Core
import Crypto
import Directory
public import OAuth
public import Platform
import Postgres
import Synchronization

/// Records the users, and the names sent only once, from answers whose browser never returned from the provider.
///
/// The posted answer identifies the user; its code stays unspent. The upstream request stays until it expires, because
/// the browser may still return. A client can post anything to an upstream request that it began, so an answer that
/// cannot be judged yet waits longer each time. Users who have been unlinked from the provider since are not recorded
/// again.
public struct UpstreamRequestSettlement: Sendable {
    /// Time between two rounds.
    public static let interval = Duration.seconds(60)
    /// Time within which a redirected browser is expected to return.
    static let timeout = Duration.seconds(120)

    private let provider: any IdentityProvider
    private let teamsWithWork: UpstreamWorkStore
    private let teams: TeamCache
    private let upstreamRequests: UpstreamRequestStore
    private let people: UpstreamIdentityStore
    private let clock: @Sendable () -> Timestamp
    /// Maximum number of answers in one round.
    private let batch: Int
    /// Maximum number of a team's answers in one turn.
    private let turn: Int
    private let position = Position()

    /// Team of the last turn: the next round continues after it, because teams late in the order might otherwise have
    /// none.
    private final class Position: Sendable { let team = Mutex<TeamID?>(nil) }

    public init(
        _ provider: any IdentityProvider, server: ServerContext, database: TeamDatabase, system: SystemDatabase,
        teams: TeamCache, batch: Int = 10_000, turn: Int = 20
    ) {
        self.provider = provider
        teamsWithWork = UpstreamWorkStore(system)
        self.teams = teams
        upstreamRequests = UpstreamRequestStore(database, server: server, timeout: provider.timeout)
        people = UpstreamIdentityStore(database)
        clock = server.clock
        (self.batch, self.turn) = (batch, turn)
    }

    /// Runs one round; may run in several processes, each of which takes answers that the others have not.
    ///
    /// Every team has a turn before any has another, also across rounds, so that no team's answers delay another's.
    public func run() async throws {
        let now = clock()
        let due = UpstreamRequestStore.Due(answeredBefore: now - Self.timeout, now: now)
        var (left, trouble): (Int, (any Error)?) = (batch, nil)
        var (before, isProviderAway) = (left, false)
        // Runs first, because it must not depend on the provider's availability.
        try await teamsWithWork.forEachTeam(.settlement(due)) { team in
            do { try await upstreamRequests.trim(in: team, at: now) } catch { trouble = trouble ?? error }
            return true
        }
        repeat {
            before = left
            try await teamsWithWork.forEachTeam(.settlement(due), after: position.team.withLock { $0 }) { team in
                position.team.withLock { $0 = team }
                let settled = try await settleSome(of: team, due, limit: min(left, turn))
                left -= settled.count
                trouble = trouble ?? settled.trouble
                isProviderAway = settled.isProviderAway
                return left > 0 && !isProviderAway
            }
        } while left > 0 && left < before && !isProviderAway
        if let trouble { throw trouble }
    }

    /// Result of a team's turn.
    private struct Turn {
        var count = 0
        /// Local error; the answer it occurred with is retried later.
        var trouble: (any Error)?
        /// Whether the provider is unavailable, so that no other answer can be settled either.
        var isProviderAway = false
    }

    private func settleSome(of id: TeamID, _ due: UpstreamRequestStore.Due, limit: Int) async throws -> Turn {
        guard let team = try await teams.snapshot(of: id) else { return Turn() }
        let claimed = try await upstreamRequests.claimUnsettled(of: provider.id, due, limit: limit, in: id)
        var turn = Turn(count: claimed.count)
        for upstreamRequest in claimed.upstreamRequests {
            do { try await settle(upstreamRequest, in: team) } catch let failure as UpstreamFailure {
                try await upstreamRequests.postpone(upstreamRequest.upstreamRequest, in: id, at: clock())
                // An unknown key or a time in the future is known from this token alone, so other answers may succeed.
                guard failure.isOfOneAnswer else {
                    turn.isProviderAway = true
                    return turn
                }
            } catch {
                try await upstreamRequests.postpone(upstreamRequest.upstreamRequest, in: id, at: clock())
                turn.trouble = error
            }
        }
        return turn
    }

    /// Records the user of an answer and settles it; an answer that proves nothing is settled without a user.
    ///
    /// - Throws: `UpstreamFailure` for an answer that cannot be verified now.
    private func settle(_ claimed: UpstreamRequestStore.Unsettled, in team: TeamSnapshot) async throws {
        do { if claimed.answer.error == nil { try await record(claimed, in: team) } } catch let failure
            as UpstreamFailure
        { guard !failure.keepsAnswer else { throw failure } }
        try await upstreamRequests.settle(claimed.upstreamRequest, in: team.id, at: clock())
    }

    private func record(_ claimed: UpstreamRequestStore.Unsettled, in team: TeamSnapshot) async throws {
        let identity = try await provider.identify(
            claimed.answer, of: claimed.upstreamRequest, in: team, at: claimed.proof.answeredAt)
        let form = claimed.answer.user.flatMap(UpstreamForm.init)
        let login = UpstreamLogin(
            identity, from: provider.id, form: form,
            // An answer with a name means that the user consented on the provider's sheet: `user` is delivered next
            // time.
            primaryAppID: claimed.isForApp && form != nil ? claimed.upstreamRequest.primaryAppID : nil,
            asking: claimed.upstreamRequest.scope, origin: .local, at: claimed.proof.answeredAt, provedBy: claimed.proof
        )
        _ = try await people.record(login, in: team.id)
    }
}
