public import Bytes
public import Domain
public import Registry

/// What Apple said alike to some clients of one connection, and what to look at: what they have in common is said once.
public struct ConnectionVerdict: Sendable {
    /// At least one, in the order of the connection.
    public let tests: [AppleConnectionTest]
    private let servicesID: ClientID
    /// Whether Apple believed the same key for another client.
    private let isKeyProved: Bool
    /// Whether a stand-in is in Apple's place, which knows what was registered there by a button.
    private let isStandIn: Bool

    /// The verdicts over a connection's clients, in the order of their first.
    ///
    /// - Parameters:
    ///   - servicesID: the connection's; the other clients are bundle IDs.
    ///   - isStandIn: whether a stand-in was asked in Apple's place.
    public static func all(
        of tests: [AppleConnectionTest],
        servicesID: ClientID,
        isStandIn: Bool
    ) -> [ConnectionVerdict] {
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
            ConnectionVerdict(
                tests: $0,
                servicesID: servicesID,
                isKeyProved: isKeyProved,
                isStandIn: isStandIn
            )
        }
    }

    public var outcome: AppleConnectionTest.Outcome { tests[0].outcome }

    public var meaning: Phrase {
        let (detail, count) = (tests[0].detail, tests.count)
        return switch outcome {
        case .accepted: Phrase("console.apple.test.accepted.meaning", count: count)
        case .refused: Phrase("console.apple.test.refused.meaning", count: count)
        case .unexpected: Phrase("console.apple.test.unexpected.meaning", ["detail": detail])
        case .throttled: Phrase("console.apple.test.throttled.meaning")
        case .trouble: Phrase("console.apple.test.trouble.meaning", ["detail": detail])
        case .unreachable: Phrase("console.apple.test.unreachable.meaning", ["detail": detail])
        }
    }

    /// Which value to look at after a refusal, the likeliest first.
    public var advice: [Phrase] {
        guard outcome == .refused else { return [] }
        return (isStandIn ? [Phrase("console.apple.look.stand-in")] : []) + values
    }

    private var values: [Phrase] {
        let (key, team) = (tests[0].keyID.rawValue, tests[0].appleTeamID.rawValue)
        let binding = Phrase("console.apple.look.binding", ["key": key], count: tests.count)
        guard !isKeyProved else { return [Phrase("console.apple.look.key-proved")] + identifiers + [binding] }
        return [
            Phrase("console.apple.look.key", ["key": key]), Phrase("console.apple.look.team", ["team": team]),
        ]
            + identifiers + [binding] + (isStandIn ? [] : [Phrase("console.apple.look.wait")])
    }

    private var identifiers: [Phrase] {
        tests.map { test in
            isServicesID(test)
                ? Phrase("console.apple.look.services-id", ["id": test.clientID.rawValue])
                : Phrase("console.apple.look.bundle-id", ["id": test.clientID.rawValue])
        }
    }

    /// Whether a test is of the connection's Services ID, not of a bundle ID.
    public func isServicesID(_ test: AppleConnectionTest) -> Bool { test.clientID == servicesID }
}

extension AppleConnectionTest {
    /// Whether Apple said the same to both, and for the same values.
    fileprivate func isAlike(_ other: AppleConnectionTest) -> Bool {
        outcome == other.outcome && detail == other.detail && keyID == other.keyID
            && appleTeamID == other.appleTeamID
    }
}
