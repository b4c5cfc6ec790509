import AuthenticationServices
import CryptoKit
import Foundation

/// The user of the app.
///
/// They sign in with Apple's own sheet. Your server, such as one of the backends beside this sample, exchanges what the
/// sheet gave, and answers a session.
///
/// Call `launch` whenever the app starts.
@MainActor final class Account: NSObject {
    /// What the server knows of the person.
    struct Person: Codable, Equatable {
        let sub: String
        let firstName: String?
        let lastName: String?
        let email: String?
    }

    enum Failure: Error, Equatable {
        /// Nothing is lost: what the sheet gave is kept, and `launch` or `signIn` tries again.
        case tryLater
        /// The server refused for good, for this reason.
        case refused(String)
    }

    private struct Session: Codable {
        let session: String
        /// Apple's name for the person, by which the device tells whether they still use the app.
        let user: String
    }

    private struct Problem: Decodable { let error: String }

    /// Names of values in the keychain.
    private enum Kept {
        static let handover = "handover"
        static let session = "session"
        static let ended = "ended"
        static let person = "person"
    }

    let server: URL
    /// The signed-in user, also while offline; nil if there is none.
    private(set) var person: Person? = Keychain.read(Kept.person) {
        didSet { if let person { try? Keychain.write(Kept.person, person) } else { Keychain.forget(Kept.person) } }
    }
    private var sheet: CheckedContinuation<[String: String], any Error>?

    init(server: URL) {
        self.server = server
        super.init()
        let revoked = ASAuthorizationAppleIDProvider.credentialRevokedNotification
        _ = NotificationCenter.default.addObserver(forName: revoked, object: nil, queue: .main) { [weak self] _ in
            Task { await self?.endIfRevoked() }
        }
    }

    /// Takes up where the app was left: hands over what the server does not have yet, and asks who is signed in.
    func launch() async {
        await finishSignOut()
        await endIfRevoked()
        if let handover: [String: String] = Keychain.read(Kept.handover) { try? await handOver(handover) }
        try? await refresh()
    }

    /// Shows Apple's sheet.
    func signIn() async throws {
        let nonce = (0..<32).map { _ in String(format: "%02x", UInt8.random(in: 0...255)) }.joined()
        let hash = SHA256.hash(data: Data(nonce.utf8)).map { String(format: "%02x", $0) }.joined()
        var handover = try await askApple(hash)
        handover["nonce"] = nonce
        // The name comes once in the life of an account. One that the server never got is still here.
        if let earlier: [String: String] = Keychain.read(Kept.handover), earlier["user"] == handover["user"] {
            handover.merge(earlier) { new, _ in new }
        }
        // Before it leaves the phone: the network may fail, and the app may be ended.
        try Keychain.write(Kept.handover, handover)
        try await handOver(handover)
        try await refresh()
    }

    /// Signs out here at once; a server that cannot be reached is told at the next launch.
    func signOut() async {
        if let session: Session = Keychain.read(Kept.session) { try? Keychain.write(Kept.ended, session) }
        Keychain.forget(Kept.session)
        person = nil
        await finishSignOut()
    }

    /// Deletes the account, as every app that makes accounts must offer (App Store Review Guideline 5.1.1(v)).
    ///
    /// - Returns: a page that tells what became of it.
    func deleteAccount() async throws -> URL? {
        struct Answer: Decodable { let receiptUrl: String? }
        guard let session: Session = Keychain.read(Kept.session) else { return nil }
        let answer: Answer = try await ask("POST", "delete-account", session)
        [Kept.session, Kept.handover].forEach(Keychain.forget)
        person = nil
        return answer.receiptUrl.flatMap { URL(string: $0) }
    }

    /// The device knows, without a network, whether the person stopped using the app in their settings.
    private func endIfRevoked() async {
        guard let session: Session = Keychain.read(Kept.session) else { return }
        let state = try? await ASAuthorizationAppleIDProvider().credentialState(forUserID: session.user)
        if state == .revoked || state == .notFound { await signOut() }
    }

    private func handOver(_ form: [String: String]) async throws {
        struct Answer: Decodable { let session: String }
        let answer: Answer = try await ask("POST", "native", form: form)
        try Keychain.write(Kept.session, Session(session: answer.session, user: form["user"] ?? ""))
        // Only now: the server has the name.
        Keychain.forget(Kept.handover)
    }

    private func refresh() async throws {
        guard let session: Session = Keychain.read(Kept.session) else { return }
        do { person = try await ask("GET", "me", session) } catch Failure.refused("signed_out") {
            Keychain.forget(Kept.session)
            person = nil
        }
    }

    private func finishSignOut() async {
        struct Nothing: Decodable {}
        guard let session: Session = Keychain.read(Kept.ended) else { return }
        do { let _: Nothing = try await ask("POST", "sign-out", session) } catch Failure.refused {
            // It is over there, too.
        } catch { return }
        Keychain.forget(Kept.ended)
    }

    private func ask<Answer: Decodable>(
        _ method: String, _ path: String, _ session: Session? = nil, form: [String: String] = [:]
    ) async throws -> Answer {
        var request = URLRequest(url: server.appending(path: path))
        request.httpMethod = method
        request.setValue(session.map { "Bearer \($0.session)" }, forHTTPHeaderField: "Authorization")
        if method == "POST" {
            request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
            var body = URLComponents()
            body.queryItems = form.map { URLQueryItem(name: $0.key, value: $0.value) }
            request.httpBody = Data((body.percentEncodedQuery ?? "").replacingOccurrences(of: "+", with: "%2B").utf8)
        }
        guard let (data, response) = try? await URLSession.shared.data(for: request),
            let status = (response as? HTTPURLResponse)?.statusCode, status < 500
        else { throw Failure.tryLater }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        guard status == 200 else {
            throw Failure.refused((try? decoder.decode(Problem.self, from: data))?.error ?? "status \(status)")
        }
        return try decoder.decode(Answer.self, from: data)
    }

    /// What Apple's sheet gives, as the form that the server takes.
    private func askApple(_ nonceHash: String) async throws -> [String: String] {
        let request = ASAuthorizationAppleIDProvider().createRequest()
        request.requestedScopes = [.fullName, .email]
        request.nonce = nonceHash
        let controller = ASAuthorizationController(authorizationRequests: [request])
        controller.delegate = self
        return try await withCheckedThrowingContinuation { continuation in
            sheet = continuation
            controller.performRequests()
        }
    }
}

extension Account: ASAuthorizationControllerDelegate {
    func authorizationController(
        controller: ASAuthorizationController, didCompleteWithAuthorization authorization: ASAuthorization
    ) {
        guard let credential = authorization.credential as? ASAuthorizationAppleIDCredential else { return }
        var handover = ["user": credential.user, "real_user_status": String(credential.realUserStatus.rawValue)]
        handover["code"] = credential.authorizationCode.flatMap { String(data: $0, encoding: .utf8) }
        handover["identity_token"] = credential.identityToken.flatMap { String(data: $0, encoding: .utf8) }
        handover["first_name"] = credential.fullName?.givenName
        handover["last_name"] = credential.fullName?.familyName
        handover["email"] = credential.email
        sheet?.resume(returning: handover)
        sheet = nil
    }

    func authorizationController(controller: ASAuthorizationController, didCompleteWithError error: any Error) {
        sheet?.resume(throwing: error)
        sheet = nil
    }
}
