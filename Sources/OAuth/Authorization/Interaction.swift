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
        case app(AuthorizationRequest)
        /// A page of Pippin: the requested path, or the user's account page.
        case account(next: String?)
    }

    public let id: InteractionID
    public let goal: Goal
    public let progress: InteractionProgress
    /// Language tags for the pages of the sign-in, the most preferred first, separated by spaces.
    public let language: String?
    public let createdAt: Timestamp

    /// The app's request; nil for a sign-in to a page of Pippin.
    public var app: AuthorizationRequest? { if case .app(let request) = goal { request } else { nil } }

    /// The requested path of Pippin; nil when none was requested or the goal is an app.
    var next: String? { if case .account(let next) = goal { next } else { nil } }
}
