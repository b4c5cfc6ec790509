import Bytes
import Crypto
public import Directory
public import Domain

/// The people of the stand-in, each with one habit.
public enum Performer: Hashable, Sendable {
    /// Signs in for the first time, every time.
    case newcomer
    /// Has signed in before, after the first time.
    case regular
    /// Hides the address.
    case hidden
    /// An account of a school or a company: its address is not verified.
    case managed
    /// A child's account: it has no address.
    case child
    /// Cancels.
    case reluctant
    /// One of a crowd, by number: like the regular one, where an installation is tried with many people.
    case passerby(Int)

    /// The same in every installation.
    public var subject: Subject {
        Subject(hexadecimal: Hex.encode(Array(digest.prefix(16))))
    }

    public var name: PersonName {
        PersonName(given: parts.given, family: parts.family) ?? .none
    }

    /// Nil for somebody without an address.
    public var email: EmailAddress? {
        self == .child ? nil : EmailAddress(rawValue: "\(parts.given.lowercased())@icloud.example")
    }

    public var isEmailVerified: Bool { self != .managed }

    /// What somebody who is asked for the first time decides about the address.
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
    /// Those who can be named; the crowd is endless.
    public static let allCases: [Performer] = [.newcomer, .regular, .hidden, .managed, .child, .reluctant]

    /// The name in a form.
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

    /// The person of that name, if it is one that can be named.
    public init?(rawValue: String) {
        guard let performer = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = performer
    }
}

/// Puts the people of the stand-in into its team.
public struct Cast: Sendable {
    private let database: TeamDatabase

    public init(_ database: TeamDatabase) {
        self.database = database
    }

    /// Adds who is not there yet of those who can be named.
    public func admit(to team: TeamID) async throws {
        for performer in Performer.allCases { try await admit(performer, to: team) }
    }

    /// Adds somebody who is not there yet.
    func admit(_ performer: Performer, to team: TeamID) async throws {
        guard try await UserStore(database).find(performer.subject, in: team) == nil else { return }
        let digest = performer.digest
        // The name is drawn from the script, so that it is the same everywhere.
        let fixed = UserStore(database, random: RandomSource { Array(digest.prefix($0)) })
        let new = NewUser(
            name: performer.name,
            email: performer.email,
            isEmailVerified: performer.isEmailVerified
        )
        try await fixed.create(new, in: team, by: .system("simulator"), from: .local)
    }
}
