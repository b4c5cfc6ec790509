import Bytes
import Doctor
import Domain
import Registry
import Templates
import Web

/// What Apple said to one client of a connection, in words, and what to look at.
struct AppleTestRow: Sendable {
    private let test: AppleConnectionTest
    private let isServicesID: Bool
    /// Whether Apple believed the same key for another client: then key and team are right.
    private let isKeyProved: Bool

    init(_ test: AppleConnectionTest, of connection: AppleConnection, among all: [AppleConnectionTest]) {
        self.test = test
        isServicesID = test.clientID == connection.servicesID
        isKeyProved = all.contains { $0.outcome == .accepted }
    }

    static let fields = Fields<AppleTestRow>()
        .text("client") { $0.test.clientID.rawValue }
        .words("kind") {
            $0.isServicesID ? Phrase("console.apple.services-id") : Phrase("console.apple.bundle-id")
        }
        .group("badge", BadgeView.fields) { $0.test.outcome.badge }
        .words("meaning") { $0.test.meaning }
        .list("advice", Fields<Phrase>().words("text") { $0 }) { row in
            row.test.advice(isServicesID: row.isServicesID, isKeyProved: row.isKeyProved)
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
