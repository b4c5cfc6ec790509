public import Crypto
import Directory
import Synchronization

/// What the stand-in does beyond the protocol: who signs in without being asked, and what goes wrong.
///
/// Shared by all loops of the process, since a browser and a server may meet different ones.
public final class Script: Sendable {
    private struct State {
        var turn = Turn.asked
        var passers = 0
        var sessions: [Performer: Session] = [:]
        var faults: [Place: (fault: Fault, times: Int)] = [:]
        var publishesExtraKey = false
    }

    /// Signs what the engine would not: tokens that are wrong on purpose.
    let extraKey: RSASigningKey
    static let extraKeyID = "EXTRAKEY01"
    private static let moods: [Fault?] = [.trouble, .broken, nil, nil]
    let delays: Delays
    private let state = Mutex(State())

    public init(extraKey: RSASigningKey, delays: Delays = Delays()) {
        self.extraKey = extraKey
        self.delays = delays
    }

    /// How long the faults of time last.
    public struct Delays: Sendable {
        /// Of an answer that is late.
        public var slow = Duration.seconds(2)
        /// Of one that nobody waits for.
        public var silent = Duration.seconds(20)

        public init() {}
    }

    /// Whose turn it is at each sign-in.
    public enum Turn: Equatable, Sendable {
        /// Whoever is chosen on a page.
        case asked
        /// Always the same person, without a page.
        case always(Performer)
        /// The next of a crowd of so many, again and again.
        case crowd(Int)
    }

    public var turn: Turn {
        get { state.withLock { $0.turn } }
        set { state.withLock { $0.turn = newValue } }
    }

    /// Who signs in now; nil asks.
    func nextPerformer() -> Performer? {
        state.withLock { state in
            switch state.turn {
            case .asked: return nil
            case .always(let performer): return performer
            case .crowd(let size):
                state.passers = (state.passers + 1) % size
                return .passerby(state.passers)
            }
        }
    }

    func session(of performer: Performer) -> Session? {
        state.withLock { $0.sessions[performer] }
    }

    func remember(_ session: Session?, of performer: Performer) {
        state.withLock { $0.sessions[performer] = session }
    }

    /// Has something go wrong, so many times.
    public func set(_ fault: Fault?, at place: Place, times: Int = 1) {
        state.withLock { state in
            state.faults[place] = fault.map { ($0, times) }
            if fault == .newKey { state.publishesExtraKey = true }
        }
    }

    /// What goes wrong there until it is switched off, for the desk.
    public func fault(at place: Place) -> Fault? {
        state.withLock { $0.faults[place]?.fault }
    }

    /// Takes the fault of this one call.
    func take(at place: Place) -> Fault? {
        state.withLock { state in
            guard let (fault, times) = state.faults[place] else { return nil }
            state.faults[place] = times > 1 ? (fault, times - 1) : nil
            return fault == .moody ? Self.moods.randomElement() ?? nil : fault
        }
    }

    var publishesExtraKey: Bool { state.withLock { $0.publishesExtraKey } }
}
