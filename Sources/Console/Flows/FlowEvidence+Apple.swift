import AuthEngine
import Bytes

// What is likely where a sign-in at Apple came to nothing.
extension FlowEvidence {
    /// Apple gave no answer that could be used.
    var silence: [Phrase] {
        switch step.cause {
        case .providerUnreachable:
            [
                Phrase("console.likely.apple-network"), Phrase("console.likely.apple-firewall"),
                Phrase("console.likely.apple-slow"),
            ]
        case .providerThrottles:
            [Phrase("console.likely.apple-many-calls"), Phrase("console.likely.apple-shared-key")]
        case .providerMalformed:
            [Phrase("console.likely.apple-broke-off"), Phrase("console.likely.apple-intercepted")]
        default:
            [
                Phrase("console.likely.apple-outage"), Phrase("console.likely.apple-just-changed"),
                Phrase("console.likely.apple-lasting"),
            ]
        }
    }

    /// What is registered at Apple is not what is registered here.
    var registration: [Phrase] {
        switch step.cause {
        case .providerClient:
            [
                Phrase("console.likely.apple-key-revoked"), Phrase("console.likely.apple-values"),
                Phrase("console.likely.apple-clock"),
            ]
        case .providerAbsent:
            [Phrase("console.likely.apple-not-connected"), Phrase("console.likely.apple-group")]
        default:
            [
                Phrase("console.likely.apple-return-url"), Phrase("console.likely.apple-switched-off"),
                Phrase("console.likely.apple-just-changed"),
            ]
        }
    }

    /// The answer was of no use any more, or not for this.
    var answer: [Phrase] {
        switch step.cause {
        case .providerCode:
            [
                Phrase("console.likely.apple-reload"), Phrase("console.likely.apple-late"),
                Phrase("console.likely.apple-redeemed-elsewhere"),
            ]
        case .providerAnswer:
            [Phrase("console.likely.apple-by-hand"), Phrase("console.likely.apple-browser")]
        case .providerBusy:
            [Phrase("console.likely.apple-twice"), Phrase("console.likely.apple-retry")]
        case .providerParted:
            [Phrase("console.likely.apple-parted")]
        default:
            [Phrase("console.likely.apple-imported"), Phrase("console.likely.apple-wrong-sub")]
        }
    }

    /// The token proves nothing.
    var token: [Phrase] {
        switch step.cause {
        case .providerIssuer:
            [Phrase("console.likely.apple-drift"), Phrase("console.likely.apple-environment")]
        case .providerAudience:
            [Phrase("console.likely.apple-bundle"), Phrase("console.likely.apple-other-connection")]
        case .providerExpired:
            [Phrase("console.likely.apple-clock"), Phrase("console.likely.apple-kept")]
        case .providerKey:
            [Phrase("console.likely.apple-new-key"), Phrase("console.likely.apple-forged")]
        case .providerNonce:
            [Phrase("console.likely.apple-nonce"), Phrase("console.likely.apple-replayed")]
        default:
            [Phrase("console.likely.apple-mixed"), Phrase("console.likely.apple-forged")]
        }
    }
}
