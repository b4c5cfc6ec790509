import AuthenticationServices
import CryptoKit
import Foundation

/// Signs people in with Apple's own sheet, for an app without a server: their session is with Pippin.
///
/// The app holds no secret: Apple's code is the proof, and the refresh token changes with each use. An app with a server
/// takes `ios/Account.swift` instead. `Keychain` is in `ios/Keychain.swift`.
@MainActor
final class PippinSignIn: NSObject {
    /// The team's base at Pippin, such as `https://id.example.com/t/ACMETEAM01`.
    let base: URL
    private let clientID = Bundle.main.bundleIdentifier ?? ""
    private static let kept = "handover"
    private var nonce = ""
    private var waiting: CheckedContinuation<ASAuthorizationAppleIDCredential, any Error>?

    init(base: URL) {
        self.base = base
    }

    /// What Pippin answers.
    struct Session: Codable {
        let access_token: String
        let refresh_token: String
        let id_token: String
        let is_new_user: Bool?
    }

    /// Shows the sheet and hands over what Apple gives.
    func signIn() async throws -> Session {
        let credential = try await askApple()
        var form = ["client_id": clientID, "user": credential.user, "nonce": nonce]
        form["code"] = credential.authorizationCode.flatMap { String(data: $0, encoding: .utf8) }
        form["identity_token"] = credential.identityToken.flatMap { String(data: $0, encoding: .utf8) }
        // The name comes once in the life of an account: send whatever is there.
        form["first_name"] = credential.fullName?.givenName
        form["last_name"] = credential.fullName?.familyName
        form["email"] = credential.email
        form["real_user_status"] = String(credential.realUserStatus.rawValue)
        // One that never reached Pippin is still here.
        if let earlier: [String: String] = Keychain.read(Self.kept), earlier["user"] == credential.user {
            form.merge(earlier) { new, _ in new }
        }
        // Before it leaves the phone: the network may fail, and the app may be ended.
        try Keychain.write(Self.kept, form)
        return try await handOver(form, to: "auth/native")
    }

    /// Hands over what an earlier sign-in could not; nil if there is nothing. Call it when the app starts.
    func resume() async throws -> Session? {
        guard let form: [String: String] = Keychain.read(Self.kept) else { return nil }
        return try await handOver(form, to: "auth/native")
    }

    private func handOver(_ form: [String: String], to path: String) async throws -> Session {
        let session = try await post(path, form)
        Keychain.forget(Self.kept)
        return session
    }

    /// Exchanges the refresh token; keep the one that is answered, since the old one is dead.
    func refresh(_ token: String) async throws -> Session {
        try await post(
            "auth/token",
            ["client_id": clientID, "grant_type": "refresh_token", "refresh_token": token]
        )
    }

    private func askApple() async throws -> ASAuthorizationAppleIDCredential {
        nonce = (0..<32).map { _ in String(format: "%02x", UInt8.random(in: 0...255)) }.joined()
        let request = ASAuthorizationAppleIDProvider().createRequest()
        request.requestedScopes = [.fullName, .email]
        request.nonce = SHA256.hash(data: Data(nonce.utf8)).map { String(format: "%02x", $0) }.joined()
        let controller = ASAuthorizationController(authorizationRequests: [request])
        controller.delegate = self
        return try await withCheckedThrowingContinuation { continuation in
            waiting = continuation
            controller.performRequests()
        }
    }

    /// Posts a form. 503 means that Apple is in trouble: the same form works later.
    private func post(_ path: String, _ form: [String: String]) async throws -> Session {
        var request = URLRequest(url: base.appending(path: path))
        request.httpMethod = "POST"
        request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
        var body = URLComponents()
        body.queryItems = form.map { URLQueryItem(name: $0.key, value: $0.value) }
        let query = body.percentEncodedQuery?.replacingOccurrences(of: "+", with: "%2B")
        request.httpBody = Data((query ?? "").utf8)
        for attempt in 0..<3 {
            let (data, response) = try await URLSession.shared.data(for: request)
            switch (response as? HTTPURLResponse)?.statusCode {
            case 200: return try JSONDecoder().decode(Session.self, from: data)
            case 503: try await Task.sleep(for: .seconds(5 * (attempt + 1)))
            case 400: throw URLError(.userAuthenticationRequired)
            // Says nothing about the session: try again later.
            default: throw URLError(.badServerResponse)
            }
        }
        throw URLError(.cannotConnectToHost)
    }
}

extension PippinSignIn: ASAuthorizationControllerDelegate {
    func authorizationController(
        controller: ASAuthorizationController,
        didCompleteWithAuthorization authorization: ASAuthorization
    ) {
        guard let credential = authorization.credential as? ASAuthorizationAppleIDCredential else { return }
        waiting?.resume(returning: credential)
        waiting = nil
    }

    func authorizationController(controller: ASAuthorizationController, didCompleteWithError error: any Error) {
        waiting?.resume(throwing: error)
        waiting = nil
    }
}
