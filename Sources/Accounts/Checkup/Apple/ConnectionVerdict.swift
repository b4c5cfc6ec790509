public import Core
public import Platform
public import Registry

/// Result that several clients of one connection share, with one explanation and the values to check.
public struct ConnectionVerdict: Sendable {
    /// At least one test, in the order of the connection's clients.
    public let tests: [AppleConnectionTest]
    private let servicesID: ClientID
    /// Whether Apple accepted the same key for another client.
    private let isKeyProved: Bool
    /// Whether an Apple simulator is used, in which a button registers the clients.
    private let isStandIn: Bool

    /// The verdicts on a connection's clients, in the order of the first client of each.
    ///
    /// - Parameters:
    ///   - servicesID: the connection's Services ID; the other clients are bundle IDs.
    ///   - isStandIn: whether an Apple simulator was tested instead of Apple.
    public static func all(of tests: [AppleConnectionTest], servicesID: ClientID, isStandIn: Bool)
        -> [ConnectionVerdict]
    {
        let isKeyProved = tests.contains { $0.outcome == .accepted }
        var groups: [[AppleConnectionTest]] = []
        for test in tests {
            if let index = groups.firstIndex(where: { test.isAlike($0[0]) }) {
                groups[index].append(test)
            } else {
                groups.append([test])
            }
        }
        return groups.map {
            ConnectionVerdict(tests: $0, servicesID: servicesID, isKeyProved: isKeyProved, isStandIn: isStandIn)
        }
    }

    public var outcome: AppleConnectionTest.Outcome { tests[0].outcome }

    public var meaning: Message {
        let (detail, count) = (tests[0].detail, tests.count)
        return switch outcome {
        case .accepted: Message("console.apple.test.accepted.meaning", count: count)
        case .refused: Message("console.apple.test.refused.meaning", count: count)
        case .unexpected: Message("console.apple.test.unexpected.meaning", ["detail": detail])
        case .throttled: Message("console.apple.test.throttled.meaning")
        case .trouble: Message("console.apple.test.trouble.meaning", ["detail": detail])
        case .unreachable: Message("console.apple.test.unreachable.meaning", ["detail": detail])
        }
    }

    /// Values to check after a rejection, the most likely first.
    public var advice: [Message] {
        guard outcome == .refused else { return [] }
        return (isStandIn ? [Message("console.apple.look.stand-in")] : []) + values
    }

    private var values: [Message] {
        let (key, team) = (tests[0].keyID.rawValue, tests[0].appleTeamID.rawValue)
        let binding = Message("console.apple.look.binding", ["key": key], count: tests.count)
        guard !isKeyProved else { return [Message("console.apple.look.key-proved")] + identifiers + [binding] }
        return [Message("console.apple.look.key", ["key": key]), Message("console.apple.look.team", ["team": team])]
            + identifiers + [binding] + (isStandIn ? [] : [Message("console.apple.look.wait")])
    }

    private var identifiers: [Message] {
        tests.map { test in
            isServicesID(test)
                ? Message("console.apple.look.services-id", ["id": test.clientID.rawValue])
                : Message("console.apple.look.bundle-id", ["id": test.clientID.rawValue])
        }
    }

    /// Whether a test is of the connection's Services ID, not of a bundle ID.
    public func isServicesID(_ test: AppleConnectionTest) -> Bool { test.clientID == servicesID }
}

extension AppleConnectionTest {
    /// Whether both tests have the same result for the same key and Apple team.
    fileprivate func isAlike(_ other: AppleConnectionTest) -> Bool {
        outcome == other.outcome && detail == other.detail && keyID == other.keyID && appleTeamID == other.appleTeamID
    }
}
