import Core
import Crypto

// Messages for a text that is not a .p8 file from Apple.
extension KeyFailure {
    var message: Message {
        switch self {
        case .notPEM: Message("console.refusals.p8.not-pem")
        case .incomplete: Message("console.refusals.p8.incomplete")
        case .severalBlocks: Message("console.refusals.p8.several")
        case .tooLarge: Message("console.refusals.p8.too-large")
        case .encrypted: Message("console.refusals.p8.encrypted")
        case .publicKey: Message("console.refusals.p8.public")
        case .privateKey: Message("console.refusals.p8.private")
        case .unsupportedLabel("EC PRIVATE KEY"): Message("console.refusals.p8.converted")
        case .unsupportedLabel(let label): Message("console.refusals.p8.label", ["label": label])
        case .unsupportedAlgorithm(let name): Message("console.refusals.p8.algorithm", ["algorithm": name])
        case .unsupportedCurve(""): Message("console.refusals.p8.curve-unnamed")
        case .unsupportedCurve(let name): Message("console.refusals.p8.curve", ["curve": name])
        case .unsupportedSize(let bits): Message("console.refusals.p8.size", ["bits": bits])
        case .malformed: Message("console.refusals.p8.malformed")
        }
    }
}
