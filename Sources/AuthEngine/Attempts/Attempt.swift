public import Bytes
import Crypto
public import Domain
public import Postgres

/// The name of a sign-in under way: the digit of its slot, then 22 base64url characters.
///
/// The name alone is worth nothing: every step also wants the browser that began it.
public struct AttemptID: SQLText, Hashable, Sendable {
    public let rawValue: String

    public init?(rawValue: String) {
        guard rawValue.utf8.count == 23, Slot(character: rawValue.utf8.first) != nil,
            rawValue.utf8.allSatisfy({ PercentCoding.isUnreserved($0) })
        else { return nil }
        self.rawValue = rawValue
    }

    init(at moment: Timestamp, random: RandomSource) {
        rawValue = Slot(at: moment).character + Base64URL.encode(random.bytes(16))
    }

    var slot: Slot { Slot(character: rawValue.utf8.first) ?? Slot(number: 0) }
}

/// A quarter of an hour, counted round from 0 to 3: where short-lived rows lie until they are dropped together.
public struct Slot: Equatable, Sendable {
    static let length = 900
    let number: Int

    init(number: Int) {
        self.number = number
    }

    init(at moment: Timestamp) {
        number = (moment.seconds / Self.length) % 4
    }

    init?(character: UInt8?) {
        guard let character, (UInt8(ascii: "0")...UInt8(ascii: "3")).contains(character) else { return nil }
        number = Int(character - UInt8(ascii: "0"))
    }

    var character: String { String(number) }

    /// That a row lies in this slot: a literal, so that the statement's plan is about this partition alone.
    var condition: SQL {
        switch number {
        case 0: "slot = 0"
        case 1: "slot = 1"
        case 2: "slot = 2"
        default: "slot = 3"
        }
    }

    /// The slot after next: nothing in it is younger than a quarter of an hour.
    var afterNext: Slot { Slot(number: (number + 2) % 4) }
}

/// A sign-in under way: the request, and how far the person has come.
public struct Attempt: Sendable {
    /// How long a person may take.
    public static let lifetime = Duration.seconds(900)

    public let id: AttemptID
    public let clientID: ClientID
    public let group: ClientID
    public let redirectURI: String
    public let responseType: AuthorizationRequest.ResponseType
    public let responseMode: AuthorizationRequest.ResponseMode
    public let scope: AuthorizationRequest.Scope
    public let state: String?
    public let nonce: String?
    public let codeChallenge: String?
    public let trial: TrialID?
    public let createdAt: Timestamp
}
