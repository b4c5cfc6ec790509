import Crypto

// Words for a text that was brought as one of Apple's .p8 files and is none.
extension KeyFailure {
    var sentence: String {
        switch self {
        case .notPEM:
            "This is not the content of a .p8 file: it begins with -----BEGIN PRIVATE KEY-----."
        case .incomplete:
            "The file is cut short or damaged: copy it whole, up to -----END PRIVATE KEY-----."
        case .severalBlocks: "There is more than one key in this text; give one."
        case .tooLarge: "This is far longer than a .p8 file."
        case .encrypted:
            "This key is behind a pass phrase. Apple's .p8 files are not; take the file as it was downloaded."
        case .publicKey:
            "This is a public key. The .p8 file holds the private one: -----BEGIN PRIVATE KEY-----."
        case .privateKey: "This is a private key where a public one is needed."
        case .unsupportedLabel("EC PRIVATE KEY"):
            "This key was converted from Apple's file (EC PRIVATE KEY); take the .p8 file as it was downloaded."
        case .unsupportedLabel(let label):
            "This is a \(label), not a private key: a .p8 file begins with -----BEGIN PRIVATE KEY-----."
        case .unsupportedAlgorithm(let name):
            "This is a key for \(name); Apple's keys for Sign in with Apple are EC keys on the curve P-256."
        case .unsupportedCurve(let name):
            "This key is on the curve \(name.isEmpty ? "of no name" : name); Apple's keys for Sign in with Apple are on "
                + "P-256."
        case .unsupportedSize(let bits): "This key has \(bits) bits, which no key from Apple has."
        case .malformed: "This is no key: its numbers do not belong together. Copy the file once more."
        }
    }
}
