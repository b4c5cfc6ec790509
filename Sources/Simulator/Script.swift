import Core
public import Crypto
public import Directory
import OAuth
public import Platform
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
        case crowd(Int)
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
            case .crowd(let size):
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

/// Simulated Apple user, each with one behavior.
public enum Performer: Hashable, Sendable {
    /// Signs in for the first time, every time.
    case newcomer
    /// Shares name and address at the first sign-in, and only confirms at later ones.
    case regular
    /// Hides the email address.
    case hidden
    /// Has a school's or company's account, whose address is not verified.
    case managed
    /// Has a child's account, without an address.
    case child
    /// Cancels.
    case reluctant
    /// A numbered member of a large population: behaves as `regular`, for tests with many users.
    case passerby(Int)

    /// Subject at Apple, identical in every installation.
    public var subject: Subject { Subject(hexadecimal: Hex.encode(Array(digest.prefix(16)))) }

    public var name: PersonName { PersonName(given: parts.given, family: parts.family) ?? .none }

    /// Email address; nil for a child's account.
    public var email: EmailAddress? {
        self == .child ? nil : EmailAddress(rawValue: "\(parts.given.lowercased())@icloud.example")
    }

    public var isEmailVerified: Bool { self != .managed }

    /// The email choice at the first consent.
    var choice: Consent.EmailChoice {
        switch self {
        case .hidden: .hidden
        case .child: .withheld
        default: .shared
        }
    }

    private var parts: (given: String, family: String) {
        switch self {
        case .newcomer: ("Nora", "Newcomer")
        case .regular: ("Rita", "Regular")
        case .hidden: ("Hiro", "Hidden")
        case .managed: ("Mina", "Managed")
        case .child: ("Cleo", "Child")
        case .reluctant: ("Rolf", "Reluctant")
        case .passerby(let number): ("Pat\(number)", "Passerby")
        }
    }

    fileprivate var digest: [UInt8] { SHA256.hash("pippin simulator \(rawValue)") }
}

extension Performer: RawRepresentable, CaseIterable {
    /// Users that can be selected by name; numbered users are unlimited.
    public static let allCases: [Performer] = [.newcomer, .regular, .hidden, .managed, .child, .reluctant]

    /// Value in a form.
    public var rawValue: String {
        switch self {
        case .newcomer: "newcomer"
        case .regular: "regular"
        case .hidden: "hidden"
        case .managed: "managed"
        case .child: "child"
        case .reluctant: "reluctant"
        case .passerby(let number): "passerby-\(number)"
        }
    }

    /// The user with this name, unless it is a numbered one.
    public init?(rawValue: String) {
        guard let performer = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = performer
    }
}

/// Adds simulated users to the simulator's team.
public struct Cast: Sendable {
    private let database: TeamDatabase

    public init(_ database: TeamDatabase) { self.database = database }

    /// Adds the named users that are missing.
    public func admit(to team: TeamID) async throws {
        for performer in Performer.allCases { try await admit(performer, to: team) }
    }

    /// Adds a user unless it exists.
    func admit(_ performer: Performer, to team: TeamID) async throws {
        guard try await UserStore(database).find(performer.subject, in: team) == nil else { return }
        let digest = performer.digest
        // The subject is derived from the name, so that it is identical in every installation.
        let fixed = UserStore(database, random: RandomSource { Array(digest.prefix($0)) })
        let new = NewUser(name: performer.name, email: performer.email, isEmailVerified: performer.isEmailVerified)
        try await fixed.create(new, in: team, by: .system("simulator"), from: .local)
    }
}
