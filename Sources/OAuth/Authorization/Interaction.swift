public import Core
import Directory
public import Platform

/// A sign-in in progress in a browser: its goal and its progress.
public struct Interaction: Sendable {
    /// Time within which the user must complete the sign-in.
    public static let lifetime = Duration.seconds(900)

    /// The destination after the sign-in.
    public enum Goal: Sendable {
        /// The app that sent the authorization request.
        case app(InteractionRequest)
        /// A page of Pippin: the requested path, or the user's account page.
        case account(next: String?)
    }

    public let id: InteractionID
    public let goal: Goal
    public let progress: InteractionProgress
    /// Language tags for the pages of the sign-in, the most preferred first, separated by spaces.
    public let language: String?
    /// The user that the app expects; prefills the login field.
    public let loginHint: String?
    public let createdAt: Timestamp

    /// The app's request; nil for a sign-in to a page of Pippin.
    public var app: InteractionRequest? { if case .app(let request) = goal { request } else { nil } }

    /// The requested path of Pippin; nil when none was requested or the goal is an app.
    var next: String? { if case .account(let next) = goal { next } else { nil } }
}

/// The stored values of an interaction's authorization request.
public struct InteractionRequest: Sendable {
    public let clientID: ClientID
    public let primaryAppID: ClientID
    public let redirectURI: String
    public let responseType: AuthorizationRequest.ResponseType
    public let responseMode: AuthorizationRequest.ResponseMode
    public let scope: AuthorizationRequest.Scope
    public let state: String?
    public let nonce: String?
    public let codeChallenge: String?
    public let testSignIn: TestSignInID?
}

extension InteractionRequest {
    /// The query by which the app would send the same request again.
    public var query: String {
        let scopes = [scope.name ? "name" : nil, scope.email ? "email" : nil].compactMap(\.self)
        let values: [(String, String?)] = [
            ("client_id", clientID.rawValue), ("redirect_uri", redirectURI), ("response_type", responseType.rawValue),
            ("response_mode", responseMode.rawValue), ("scope", scopes.isEmpty ? nil : scopes.joined(separator: " ")),
            ("state", state), ("nonce", nonce), ("code_challenge", codeChallenge),
            ("code_challenge_method", codeChallenge == nil ? nil : "S256"),
        ]
        return FormCoding.encode(values.compactMap { name, value in value.map { (name: name, value: $0) } })
    }

    init(_ request: AuthorizationRequest) {
        clientID = request.client.id
        primaryAppID = request.client.primaryAppID
        redirectURI = request.redirectURI
        responseType = request.responseType
        responseMode = request.responseMode
        scope = request.scope
        state = request.state
        nonce = request.nonce
        codeChallenge = request.codeChallenge
        testSignIn = request.testSignIn
    }
}
