import Domain
import Synchronization

/// What the loops of a process store of flows together; one for all of them, so that another connection brings nobody
/// another allowance.
public final class FlowAllowances: Sendable {
    private let state = Mutex(State())

    private struct State {
        var openings = SenderAllowance.ofOpenings
        var refusals = SenderAllowance.ofRefusals
        var strangers = SenderAllowance.ofStrangers
        var people = FlowAllowance<TeamPerson>(burst: 120, perDay: 2_000)
    }

    public init() {}

    /// Whether there is room for a request that only opens a page, before its step is put together.
    func mayOpen(in team: TeamID) -> Bool {
        state.withLock { $0.openings.isLeft(in: team) }
    }

    /// Whether there is room for a refusal, before its steps are put together.
    func mayRefuse(from ip: String, in team: TeamID) -> Bool {
        state.withLock { $0.refusals.isLeft(for: ip, in: team) }
    }

    /// Whether a request that only opens a page may be kept.
    func admits(opening step: FlowStep, from ip: String, in team: TeamID) -> Bool {
        state.withLock { $0.openings.take(step.weight, from: ip, in: team) }
    }

    /// Whether steps that tell of one refusal may be kept.
    func admits(refusal steps: [FlowStep], from ip: String, in team: TeamID) -> Bool {
        let weight = steps.reduce(0) { $0 + $1.weight }
        return state.withLock { $0.refusals.take(weight, from: ip, in: team) }
    }

    /// Whether a step of a sign-in may be kept.
    ///
    /// An account is soon made, so that its steps have an allowance too: more than anybody signs in.
    func admits(_ step: FlowStep, of subject: Subject?, in team: TeamID) -> Bool {
        guard step.cause == nil else { return admits(refusal: [step], from: step.origin.ip, in: team) }
        let weight = step.weight
        return state.withLock { state in
            guard let subject else { return state.strangers.take(weight, from: step.origin.ip, in: team) }
            return state.people.take(weight, for: TeamPerson(team: team, subject: subject))
        }
    }
}

/// Somebody who is known to a team.
private struct TeamPerson: Hashable {
    let team: TeamID
    let subject: Subject
}

extension SenderAllowance {
    /// Requests that only open a page.
    ///
    /// Worth to be seen while a team tries things out, not by the million. What they asked is told again by the next step
    /// of the same sign-in.
    static var ofOpenings: SenderAllowance {
        SenderAllowance(
            address: Rate(120, perDay: 4_000),
            site: Rate(120, perDay: 8_000),
            everywhere: Rate(240, perDay: 8_000),
            team: Rate(120, perDay: 20_000),
            share: Rate(60, perDay: 2_000),
            installation: Rate(2_000, perDay: 200_000)
        )
    }

    /// What fails at nothing, of sign-ins in which nobody has proved who they are: to be sent to a provider, or to turn back.
    static var ofStrangers: SenderAllowance {
        SenderAllowance(
            address: Rate(60, perDay: 1_000),
            site: Rate(240, perDay: 4_000),
            everywhere: Rate(240, perDay: 4_000),
            team: Rate(300, perDay: 20_000),
            share: Rate(100, perDay: 2_000),
            installation: Rate(2_000, perDay: 100_000)
        )
    }

    /// What is refused; an app's backend has one address for all its people.
    static var ofRefusals: SenderAllowance {
        SenderAllowance(
            address: Rate(100, perDay: 8_000),
            site: Rate(200, perDay: 12_000),
            everywhere: Rate(400, perDay: 16_000),
            team: Rate(300, perDay: 40_000),
            share: Rate(100, perDay: 4_000),
            installation: Rate(2_000, perDay: 200_000)
        )
    }
}
