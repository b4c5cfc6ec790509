import Core
import Crypto
import OAuth
import Platform

/// Claims of an Apple notification, whose format differs between Apple's documents and servers.
struct AppleNotificationClaims: Sendable {
    /// Maximum difference between two clocks.
    private static let skew = Duration.seconds(300)
    /// Lifetime of a notification without `exp`, as in Apple's documents.
    private static let life = Duration.seconds(86_400)
    /// Maximum number of events, more than one notification ever holds.
    private static let mostEvents = 32

    private let claims: Claims

    init(_ claims: Claims) { self.claims = claims }

    var id: String? { claims.members["jti"]?.string.flatMap { $0.isEmpty || $0.utf8.count > 255 ? nil : $0 } }

    var audience: ClientID? {
        guard let names = try? claims.audience(), names.count == 1 else { return nil }
        return ClientID(rawValue: names[0])
    }

    func checkIssuer(_ expected: String) throws(UpstreamFailure) {
        guard claims.members["iss"]?.string?.utf8.elementsEqual(expected.utf8) == true else {
            throw UpstreamFailure(.providerIssuer, .none, because: "the notice's issuer is not \(expected)")
        }
    }

    /// Checks the times as of the notification's arrival, so that waiting to be verified does not make it too old.
    func checkTimes(at moment: Timestamp) throws(UpstreamFailure) {
        guard let issued = claims.members["iat"]?.floor.flatMap({ NumericDate(claimed: $0) }) else {
            throw AppleProvider.garbage("the notice does not say when it was issued")
        }
        let expiry: Timestamp
        if let value = claims.members["exp"] {
            guard let expires = value.floor.flatMap({ NumericDate(claimed: $0) }) else {
                throw AppleProvider.garbage("the notice's exp is no time")
            }
            expiry = expires.timestamp
        } else {
            expiry = issued.timestamp + Self.life
        }
        guard issued.timestamp <= moment + Self.skew, expiry > moment - Self.skew else {
            throw UpstreamFailure(.providerExpired, .none, because: "the notice is too old, or from the future")
        }
    }

    /// Reads the events: a JSON string in the tokens that Apple sends, an object in its documents, an array in older
    /// ones.
    ///
    /// - Parameter moment: time of an event that has none itself.
    func events(orAt moment: Timestamp) throws(UpstreamFailure) -> [UpstreamNotification.Event] {
        guard let value = claims.members["events"], let list = Self.list(value) else {
            throw AppleProvider.garbage("the notice has no events that can be read")
        }
        return list.prefix(Self.mostEvents).map { Self.event($0, orAt: moment) }
    }

    private static func list(_ value: JSONValue, depth: Int = 0) -> [JSONValue]? {
        switch value {
        case .object: return [value]
        case .array(let values):
            guard depth < 2 else { return nil }
            return values.flatMap { list($0, depth: depth + 1) ?? [] }
        case .string(let text):
            guard depth < 2,
                let inner = try? JSON.decode(JSONValue.self, from: Array(text.utf8), maxDepth: 6, maxValues: 1000)
            else { return nil }
            return list(inner, depth: depth + 1)
        default: return nil
        }
    }

    private static func event(_ value: JSONValue, orAt moment: Timestamp) -> UpstreamNotification.Event {
        let time = value["event_time"]
        let number = time?.floor ?? time?.string.flatMap { Int64($0) }
        return UpstreamNotification.Event(
            value["type"]?.string ?? "", of: value["sub"]?.string.flatMap(Subject.init(rawValue:)),
            at: number.flatMap { NumericDate(claimed: $0)?.timestamp } ?? moment)
    }
}

extension NumericDate {
    /// Reads milliseconds, as Apple sends, or seconds, as in its documents; nil if out of range.
    fileprivate init?(claimed number: Int64) {
        if number < 100_000_000_000 { self.init(seconds: number) } else { self.init(milliseconds: number) }
    }
}
