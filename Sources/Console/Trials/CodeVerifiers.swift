import AuthEngine
import Bytes
import Crypto

/// The PKCE verifiers of trials (RFC 7636 section 4.1): derived from their names, so that none has to be kept.
struct CodeVerifiers: Sendable {
    private let code: HMACSHA256

    init(keyRing: KeyRing) {
        code = HMACSHA256(key: keyRing.derive(purpose: "trial-verifiers"))
    }

    func verifier(of trial: TrialID) -> String {
        Base64URL.encode(code.code(for: Array(trial.rawValue.utf8)))
    }

    /// S256 of the verifier (RFC 7636 section 4.2).
    func challenge(of trial: TrialID) -> String {
        Base64URL.encode(SHA256.hash(verifier(of: trial)))
    }
}
