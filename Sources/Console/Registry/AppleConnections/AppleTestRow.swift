import Bytes
import Doctor
import Domain
import Registry
import Templates
import Web

/// What Apple said alike to some clients of a connection, in words, and what to look at.
struct AppleTestRow: Sendable {
    let verdict: ConnectionVerdict

    static let fields = Fields<AppleTestRow>()
        .list("clients", ClientLine.fields) { row in
            row.verdict.tests.map {
                ClientLine(id: $0.clientID, isServicesID: row.verdict.isServicesID($0))
            }
        }
        .group("badge", BadgeView.fields) { $0.verdict.outcome.badge }
        .words("meaning") { $0.verdict.meaning }
        .list("advice", Fields<Phrase>().words("text") { $0 }) { $0.verdict.advice }

    /// One of the clients.
    struct ClientLine: Sendable {
        let id: ClientID
        let isServicesID: Bool

        static let fields = Fields<ClientLine>()
            .text("client") { $0.id.rawValue }
            .words("kind") {
                $0.isServicesID ? Phrase("console.apple.services-id") : Phrase("console.apple.bundle-id")
            }
    }
}

extension AppleConnectionTest.Outcome {
    var badge: BadgeView {
        switch self {
        case .accepted: BadgeView(.good, Phrase("console.apple.test.accepted"))
        case .refused: BadgeView(.bad, Phrase("console.apple.test.refused"))
        case .unexpected: BadgeView(.warn, Phrase("console.apple.test.unexpected"))
        case .throttled: BadgeView(.warn, Phrase("console.apple.test.throttled"))
        case .trouble: BadgeView(.warn, Phrase("console.apple.test.trouble"))
        case .unreachable: BadgeView(.warn, Phrase("console.apple.test.unreachable"))
        }
    }
}

extension [AppleConnectionTest] {
    /// The connection in one word: what is wrong goes before what could not be told.
    var badge: BadgeView {
        let outcomes = map(\.outcome)
        let worst = [AppleConnectionTest.Outcome.refused, .unexpected, .trouble, .throttled, .unreachable]
            .first(where: outcomes.contains)
        if let worst { return worst.badge }
        return isEmpty
            ? BadgeView(.plain, Phrase("console.apple.test.none"))
            : BadgeView(.good, Phrase("console.apple.test.works"))
    }
}
