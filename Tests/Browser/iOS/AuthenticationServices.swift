// As much of Apple's framework as the iOS sample uses. In place of the sheet, the Apple simulator at DEVICE answers for
// PERSON; the state of the credential is that of STATE.

@_exported import Foundation
@_exported import FoundationNetworking

private let environment = ProcessInfo.processInfo.environment

public struct ASAuthorization {
    public enum Scope { case fullName, email }

    public let credential: Any
}

public enum ASUserDetectionStatus: Int { case unsupported, unknown, likelyReal }

public final class ASAuthorizationAppleIDCredential: NSObject {
    public let user: String
    public let identityToken: Data?
    public let authorizationCode: Data?
    public let email: String?
    public let fullName: PersonNameComponents?
    public let realUserStatus = ASUserDetectionStatus.likelyReal

    init(_ given: [String: String]) {
        user = given["user"] ?? ""
        identityToken = given["identity_token"].map { Data($0.utf8) }
        authorizationCode = given["code"].map { Data($0.utf8) }
        email = given["email"]
        var name = PersonNameComponents()
        name.givenName = given["first_name"]
        name.familyName = given["last_name"]
        fullName = name
    }
}

public final class ASAuthorizationAppleIDRequest: NSObject {
    public var requestedScopes: [ASAuthorization.Scope]?
    public var nonce: String?
}

public final class ASAuthorizationAppleIDProvider: NSObject {
    public enum CredentialState: String { case authorized, revoked, notFound, transferred }

    public static let credentialRevokedNotification = Notification.Name("ASAuthorizationAppleIDCredentialRevoked")

    public override init() {}

    public func createRequest() -> ASAuthorizationAppleIDRequest { ASAuthorizationAppleIDRequest() }

    public func credentialState(forUserID user: String) async throws -> CredentialState {
        CredentialState(rawValue: environment["STATE"] ?? "") ?? .authorized
    }
}

@MainActor public protocol ASAuthorizationControllerDelegate: AnyObject {
    func authorizationController(
        controller: ASAuthorizationController, didCompleteWithAuthorization authorization: ASAuthorization)
    func authorizationController(controller: ASAuthorizationController, didCompleteWithError error: any Error)
}

@MainActor public final class ASAuthorizationController: NSObject {
    public weak var delegate: (any ASAuthorizationControllerDelegate)?
    private let requests: [ASAuthorizationAppleIDRequest]

    public init(authorizationRequests: [ASAuthorizationAppleIDRequest]) { requests = authorizationRequests }

    public func performRequests() {
        Task {
            do {
                guard let device = URL(string: environment["DEVICE"] ?? "") else { throw URLError(.badURL) }
                var request = URLRequest(url: device)
                request.httpMethod = "POST"
                request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
                let form = "client_id=\(environment["BUNDLE_ID"] ?? "")&person=\(environment["PERSON"] ?? "")"
                request.httpBody = Data("\(form)&nonce=\(requests[0].nonce ?? "")".utf8)
                let (data, _) = try await URLSession.shared.data(for: request)
                let given = try JSONDecoder().decode([String: String].self, from: data)
                let authorization = ASAuthorization(credential: ASAuthorizationAppleIDCredential(given))
                delegate?.authorizationController(controller: self, didCompleteWithAuthorization: authorization)
            } catch { delegate?.authorizationController(controller: self, didCompleteWithError: error) }
        }
    }
}
