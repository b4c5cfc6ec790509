import Bytes
import Crypto

// What a text that was brought as one of Apple's .p8 files is instead.
extension KeyFailure {
    var phrase: Phrase {
        switch self {
        case .notPEM: Phrase("console.refusals.p8.not-pem")
        case .incomplete: Phrase("console.refusals.p8.incomplete")
        case .severalBlocks: Phrase("console.refusals.p8.several")
        case .tooLarge: Phrase("console.refusals.p8.too-large")
        case .encrypted: Phrase("console.refusals.p8.encrypted")
        case .publicKey: Phrase("console.refusals.p8.public")
        case .privateKey: Phrase("console.refusals.p8.private")
        case .unsupportedLabel("EC PRIVATE KEY"): Phrase("console.refusals.p8.converted")
        case .unsupportedLabel(let label): Phrase("console.refusals.p8.label", ["label": label])
        case .unsupportedAlgorithm(let name): Phrase("console.refusals.p8.algorithm", ["algorithm": name])
        case .unsupportedCurve(""): Phrase("console.refusals.p8.curve-unnamed")
        case .unsupportedCurve(let name): Phrase("console.refusals.p8.curve", ["curve": name])
        case .unsupportedSize(let bits): Phrase("console.refusals.p8.size", ["bits": bits])
        case .malformed: Phrase("console.refusals.p8.malformed")
        }
    }
}
