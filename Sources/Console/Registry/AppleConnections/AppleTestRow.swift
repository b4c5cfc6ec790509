import Bytes
import Doctor
import Domain
import Localization
import Registry
import Templates
import Web

/// Test result that several clients of a connection share, with its explanation and advice.
struct AppleTestRow: Sendable {
    let verdict: ConnectionVerdict

    static let fields = Fields<AppleTestRow> {
        $0.list("clients", ClientLine.fields) { row in
            row.verdict.tests.map { ClientLine(id: $0.clientID, isServicesID: row.verdict.isServicesID($0)) }
        }
        $0.group("badge", BadgeView.fields) { $0.verdict.outcome.badge }
        $0.words("meaning") { $0.verdict.meaning }
        $0.list("advice", Fields<Message> { $0.words("text") { $0 } }) { $0.verdict.advice }
    }

    /// One client with this result.
    struct ClientLine: Sendable {
        let id: ClientID
        let isServicesID: Bool

        static let fields = Fields<ClientLine> {
            $0.text("client") { $0.id.rawValue }
            $0.words("kind") {
                $0.isServicesID ? Message("console.apple.services-id") : Message("console.apple.bundle-id")
            }
        }
    }
}

extension AppleConnectionTest.Outcome {
    var badge: BadgeView {
        switch self {
        case .accepted: BadgeView(.good, Message("console.apple.test.accepted"))
        case .refused: BadgeView(.bad, Message("console.apple.test.refused"))
        case .unexpected: BadgeView(.warn, Message("console.apple.test.unexpected"))
        case .throttled: BadgeView(.warn, Message("console.apple.test.throttled"))
        case .trouble: BadgeView(.warn, Message("console.apple.test.trouble"))
        case .unreachable: BadgeView(.warn, Message("console.apple.test.unreachable"))
        }
    }
}

extension [AppleConnectionTest] {
    /// State of the connection: the worst outcome, in which a rejection precedes an inconclusive test.
    var badge: BadgeView {
        let outcomes = map(\.outcome)
        let worst = [AppleConnectionTest.Outcome.refused, .unexpected, .trouble, .throttled, .unreachable].first(
            where: outcomes.contains)
        if let worst { return worst.badge }
        return isEmpty
            ? BadgeView(.plain, Message("console.apple.test.none"))
            : BadgeView(.good, Message("console.apple.test.works"))
    }
}
