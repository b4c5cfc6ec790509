import Domain
import OAuth
import Synchronization

/// Quotas for the stored sign-in traces, shared by all loops of a process, so that another connection does not grant
/// another quota.
public final class TraceQuotas: Sendable {
    private let state = Mutex(State())

    private struct State {
        var openings = SenderQuota.ofOpenings
        var refusals = SenderQuota.ofRefusals
        var unauthenticated = SenderQuota.ofStrangers
        var people = TraceQuota<TeamPerson>(burst: 120, perDay: 2_000)
    }

    public init() {}

    /// Whether there is room for a request that only opens a page, to be checked before its event is put together.
    func mayOpen(in team: TeamID) -> Bool { state.withLock { $0.openings.isLeft(in: team) } }

    /// Whether there is room for a refusal, to be checked before its events are put together.
    func mayRefuse(from ip: String, in team: TeamID) -> Bool {
        state.withLock { $0.refusals.isLeft(for: ip, in: team) }
    }

    /// Whether to store a request that only opens a page.
    func admits(opening step: TraceEvent, from ip: String, in team: TeamID) -> Bool {
        state.withLock { $0.openings.take(step.weight, from: ip, in: team) }
    }

    /// Whether to store the events of one refusal.
    func admits(refusal steps: [TraceEvent], from ip: String, in team: TeamID) -> Bool {
        let weight = steps.reduce(0) { $0 + $1.weight }
        return state.withLock { $0.refusals.take(weight, from: ip, in: team) }
    }

    /// Whether to store an event of an interaction.
    ///
    /// Events of known users have a quota too, larger than any regular use, because accounts are easy to create.
    func admits(_ step: TraceEvent, of subject: Subject?, in team: TeamID) -> Bool {
        guard step.cause == nil else { return admits(refusal: [step], from: step.origin.ip, in: team) }
        let weight = step.weight
        return state.withLock { state in
            guard let subject else { return state.unauthenticated.take(weight, from: step.origin.ip, in: team) }
            return state.people.take(weight, for: TeamPerson(team: team, subject: subject))
        }
    }
}

/// A user of a team, as the owner of a quota.
private struct TeamPerson: Hashable {
    let team: TeamID
    let subject: Subject
}

extension SenderQuota {
    /// Quota for requests that only open a page.
    ///
    /// They are useful while a team tests its app, not by the million. The next event of the same sign-in repeats the
    /// request's attributes.
    static var ofOpenings: SenderQuota {
        SenderQuota(
            address: Rate(120, perDay: 4_000), site: Rate(120, perDay: 8_000), everywhere: Rate(240, perDay: 8_000),
            team: Rate(120, perDay: 20_000), share: Rate(60, perDay: 2_000), installation: Rate(2_000, perDay: 200_000))
    }

    /// Quota for events without failure before authentication: redirects to a provider and cancellations.
    static var ofStrangers: SenderQuota {
        SenderQuota(
            address: Rate(60, perDay: 1_000), site: Rate(240, perDay: 4_000), everywhere: Rate(240, perDay: 4_000),
            team: Rate(300, perDay: 20_000), share: Rate(100, perDay: 2_000), installation: Rate(2_000, perDay: 100_000)
        )
    }

    /// Quota for refusals; an app's backend has one address for all its users.
    static var ofRefusals: SenderQuota {
        SenderQuota(
            address: Rate(100, perDay: 8_000), site: Rate(200, perDay: 12_000), everywhere: Rate(400, perDay: 16_000),
            team: Rate(300, perDay: 40_000), share: Rate(100, perDay: 4_000), installation: Rate(2_000, perDay: 200_000)
        )
    }
}
