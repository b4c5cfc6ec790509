import Core
public import Crypto
import Directory
import OAuth
import Platform
import Synchronization

/// Behavior of the simulator beyond the protocol: users that sign in without a page, and faults.
///
/// All loops of the process share it, because a browser and a server may reach different loops.
public final class Script: Sendable {
    private struct State {
        var turn = Turn.asked
        var passers = 0
        var sessions: [Performer: Session] = [:]
        var faults: [Place: (fault: Fault, times: Int)] = [:]
        var publishesExtraKey = false
        /// Moods come in the same order in every run.
        var mood: UInt64 = 0
        var held: [Place: [CheckedContinuation<Void, Never>]] = [:]
    }

    /// Key that signs deliberately wrong tokens, which the engine never issues.
    let extraKey: RSASigningKey
    static let extraKeyID = "EXTRAKEY01"
    private static let moods: [Fault?] = [.trouble, .broken, nil, nil]
    /// Whether the faults `slow` and `silent` last until `release`, instead of some seconds.
    private let holds: Bool
    private let state = Mutex(State())

    public init(extraKey: RSASigningKey, holds: Bool = false) {
        self.extraKey = extraKey
        self.holds = holds
    }

    /// Selection of the user for each sign-in.
    public enum Turn: Equatable, Sendable {
        /// The user that is selected on a page.
        case asked
        /// Always the same user, without a page.
        case always(Performer)
        /// The next user of a population of this size, cyclically.
        case population(Int)
    }

    public var turn: Turn {
        get { state.withLock { $0.turn } }
        set { state.withLock { $0.turn = newValue } }
    }

    /// The user of the next sign-in; nil to show the selection page.
    func nextPerformer() -> Performer? {
        state.withLock { state in
            switch state.turn {
            case .asked: return nil
            case .always(let performer): return performer
            case .population(let size):
                state.passers = (state.passers + 1) % size
                return .passerby(state.passers)
            }
        }
    }

    func session(of performer: Performer) -> Session? { state.withLock { $0.sessions[performer] } }

    func remember(_ session: Session?, of performer: Performer) { state.withLock { $0.sessions[performer] = session } }

    /// Sets a fault for the next `times` requests at a place, or removes it.
    public func set(_ fault: Fault?, at place: Place, times: Int = 1) {
        state.withLock { state in
            state.faults[place] = fault.map { ($0, times) }
            if fault == .newKey { state.publishesExtraKey = true }
        }
    }

    /// The current fault at a place, for the desk.
    public func fault(at place: Place) -> Fault? { state.withLock { $0.faults[place]?.fault } }

    /// The fault of the current request, which uses up one occurrence.
    func take(at place: Place) -> Fault? {
        state.withLock { state in
            guard let (fault, times) = state.faults[place] else { return nil }
            state.faults[place] = times > 1 ? (fault, times - 1) : nil
            guard fault == .moody else { return fault }
            state.mood = state.mood &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Self.moods[Int(state.mood >> 62)]
        }
    }

    /// The delay of a response: `duration`, or until the test releases it.
    func delay(at place: Place, _ duration: Duration) async {
        guard holds else {
            try? await Task.sleep(for: duration)
            return
        }
        await withCheckedContinuation { continuation in
            state.withLock { $0.held[place, default: []].append(continuation) }
        }
    }

    /// The number of requests at a place that wait for `release`.
    public func heldCount(at place: Place) -> Int { state.withLock { $0.held[place]?.count ?? 0 } }

    /// Lets the requests that are held at a place go on: a slow one is processed now, a silent one fails.
    public func release(_ place: Place) {
        for held in state.withLock({ $0.held.removeValue(forKey: place) ?? [] }) { held.resume() }
    }

    var publishesExtraKey: Bool { state.withLock { $0.publishesExtraKey } }
}
