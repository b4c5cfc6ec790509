import Bytes
import Localization
import OAuth

// Likely causes of failed sign-ins with Apple.
extension TraceEvidence {
    /// Likely causes if Apple gave no usable response.
    var silence: [Message] {
        switch step.cause {
        case .providerUnreachable:
            [
                Message("console.likely.apple-network"), Message("console.likely.apple-firewall"),
                Message("console.likely.apple-slow"),
            ]
        case .providerThrottles:
            [Message("console.likely.apple-many-calls"), Message("console.likely.apple-shared-key")]
        case .providerMalformed:
            [Message("console.likely.apple-broke-off"), Message("console.likely.apple-intercepted")]
        default:
            [
                Message("console.likely.apple-outage"), Message("console.likely.apple-just-changed"),
                Message("console.likely.apple-lasting"),
            ]
        }
    }

    /// Likely causes if the registration at Apple differs from the one in Pippin.
    var registration: [Message] {
        switch step.cause {
        case .providerClient:
            [
                Message("console.likely.apple-key-revoked"), Message("console.likely.apple-values"),
                Message("console.likely.apple-clock"),
            ]
        case .providerAbsent: [Message("console.likely.apple-not-connected"), Message("console.likely.apple-group")]
        default:
            [
                Message("console.likely.apple-return-url"), Message("console.likely.apple-switched-off"),
                Message("console.likely.apple-just-changed"),
            ]
        }
    }

    /// Likely causes if Apple's response was no longer valid, or not valid for this sign-in.
    var answer: [Message] {
        switch step.cause {
        case .providerCode:
            [
                Message("console.likely.apple-reload"), Message("console.likely.apple-late"),
                Message("console.likely.apple-redeemed-elsewhere"),
            ]
        case .providerAnswer: [Message("console.likely.apple-by-hand"), Message("console.likely.apple-browser")]
        case .providerBusy: [Message("console.likely.apple-twice"), Message("console.likely.apple-retry")]
        case .providerParted: [Message("console.likely.apple-parted")]
        default: [Message("console.likely.apple-imported"), Message("console.likely.apple-wrong-sub")]
        }
    }

    /// Likely causes if Apple's ID token is invalid.
    var token: [Message] {
        switch step.cause {
        case .providerIssuer: [Message("console.likely.apple-drift"), Message("console.likely.apple-environment")]
        case .providerAudience:
            [Message("console.likely.apple-bundle"), Message("console.likely.apple-other-connection")]
        case .providerExpired: [Message("console.likely.apple-clock"), Message("console.likely.apple-kept")]
        case .providerKey: [Message("console.likely.apple-new-key"), Message("console.likely.apple-forged")]
        case .providerNonce: [Message("console.likely.apple-nonce"), Message("console.likely.apple-replayed")]
        default: [Message("console.likely.apple-mixed"), Message("console.likely.apple-forged")]
        }
    }
}
