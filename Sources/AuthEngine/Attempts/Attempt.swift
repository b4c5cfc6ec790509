public import Bytes
import Directory
public import Domain

/// A sign-in under way: where it leads, and how far the person has come.
public struct Attempt: Sendable {
    /// How long a person may take.
    public static let lifetime = Duration.seconds(900)

    /// Where a sign-in leads.
    public enum Goal: Sendable {
        /// Back to the app that asked.
        case app(AppRequest)
        /// To a page of ours: the path the person asked for, or their own page.
        case account(next: String?)
    }

    public let id: AttemptID
    public let goal: Goal
    public let progress: AttemptProgress
    /// The language tag the pages were begun in.
    public let language: String?
    /// Whom the app expects: what the field for the name is filled with.
    public let loginHint: String?
    public let createdAt: Timestamp

    /// What the app asked for, when one did.
    public var app: AppRequest? {
        if case .app(let request) = goal { request } else { nil }
    }

    /// The page of ours it leads to, when one was asked for.
    var next: String? {
        if case .account(let next) = goal { next } else { nil }
    }
}

/// An authorization request as its attempt keeps it.
public struct AppRequest: Sendable {
    public let clientID: ClientID
    public let group: ClientID
    public let redirectURI: String
    public let responseType: AuthorizationRequest.ResponseType
    public let responseMode: AuthorizationRequest.ResponseMode
    public let scope: AuthorizationRequest.Scope
    public let state: String?
    public let nonce: String?
    public let codeChallenge: String?
    public let trial: TrialID?
}

extension AppRequest {
    init(_ request: AuthorizationRequest) {
        clientID = request.client.id
        group = request.client.group
        redirectURI = request.redirectURI
        responseType = request.responseType
        responseMode = request.responseMode
        scope = request.scope
        state = request.state
        nonce = request.nonce
        codeChallenge = request.codeChallenge
        trial = request.trial
    }
}
