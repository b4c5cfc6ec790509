import Core
import Crypto
public import Directory
import OAuth
public import Platform

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

    var digest: [UInt8] { SHA256.hash("pippin simulator \(rawValue)") }
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
