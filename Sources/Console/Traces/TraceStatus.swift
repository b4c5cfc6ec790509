import Bytes
import Localization
import OAuth
import SignInTrace
import Web

/// Badge with the status of a sign-in trace.
enum TraceStatus {
    /// Lifetime of an authorization code.
    private static let codeLife = Duration.seconds(300)

    static func badge(of trace: SignInTrace, at now: Timestamp) -> BadgeView {
        let age = now - trace.id.startedAt
        switch trace.outcome {
        case .failed where trace.isRedeemed: return BadgeView(.warn, Message("console.traces.badge.recovered"))
        case .failed: return BadgeView(.bad, Message("console.traces.badge.failed"))
        case .cancelled: return BadgeView(.plain, Message("console.traces.badge.cancelled"))
        case .answered where trace.isRedeemed: return BadgeView(.good, Message("console.traces.badge.signed-in"))
        case .answered where age > Interaction.lifetime + codeLife:
            return BadgeView(.warn, Message("console.traces.badge.unredeemed"))
        case .answered: return BadgeView(.plain, Message("console.traces.badge.answered"))
        case .open where age > Interaction.lifetime: return BadgeView(.plain, Message("console.traces.badge.left"))
        case .open: return BadgeView(.plain, Message("console.traces.badge.open"))
        }
    }
}
