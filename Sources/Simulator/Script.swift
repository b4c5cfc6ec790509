public import Crypto
import Synchronization

/// What the stand-in does beyond the protocol: who signs in without being asked, and what goes wrong.
///
/// Shared by all loops of the process, since a browser and a server may meet different ones.
public final class Script: Sendable {
    private struct State {
        var performer: Performer?
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

    /// Who signs in without a page; nil asks.
    public var performer: Performer? {
        get { state.withLock { $0.performer } }
        set { state.withLock { $0.performer = newValue } }
    }

    /// Has something go wrong, so many times.
    public func set(_ fault: Fault?, at place: Place, times: Int = 1) {
        state.withLock { state in
            state.faults[place] = fault.map { ($0, times) }
            if fault == .unknownKey { state.publishesExtraKey = false }
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
