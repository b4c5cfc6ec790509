import Bytes
import Crypto
import OAuth

/// PKCE code verifiers of test sign-ins (RFC 7636 section 4.1), derived from their ids so that none is stored.
struct CodeVerifiers: Sendable {
    private let code: HMACSHA256

    init(keyRing: KeyRing) { code = HMACSHA256(key: keyRing.derive(purpose: "trial-verifiers")) }

    func verifier(of testSignIn: TestSignInID) -> String {
        Base64URL.encode(code.code(for: Array(testSignIn.rawValue.utf8)))
    }

    /// S256 code challenge of the verifier (RFC 7636 section 4.2).
    func challenge(of testSignIn: TestSignInID) -> String { Base64URL.encode(SHA256.hash(verifier(of: testSignIn))) }
}
