import AuthEngine
import Bytes
import Web

/// How a flow stands, in a word.
enum FlowStanding {
    /// How long a code lasts.
    private static let codeLife = Duration.seconds(300)

    static func badge(of flow: Flow, at now: Timestamp) -> BadgeView {
        let age = now - flow.id.startedAt
        switch flow.outcome {
        case .failed where flow.isRedeemed:
            return BadgeView(.warn, Phrase("console.flows.badge.recovered"))
        case .failed: return BadgeView(.bad, Phrase("console.flows.badge.failed"))
        case .cancelled: return BadgeView(.plain, Phrase("console.flows.badge.cancelled"))
        case .answered where flow.isRedeemed:
            return BadgeView(.good, Phrase("console.flows.badge.signed-in"))
        case .answered where age > Attempt.lifetime + codeLife:
            return BadgeView(.warn, Phrase("console.flows.badge.unredeemed"))
        case .answered: return BadgeView(.plain, Phrase("console.flows.badge.answered"))
        case .open where age > Attempt.lifetime:
            return BadgeView(.plain, Phrase("console.flows.badge.left"))
        case .open: return BadgeView(.plain, Phrase("console.flows.badge.open"))
        }
    }
}
