public import Core
public import HTTP
public import Platform
import Postgres

/// An error as the user sees it: HTTP status, headline, message and advice.
///
/// Every error gets its HTTP status here.
public struct UserFacingError: Error, Sendable {
    public let status: Status
    public let headline: LocalizedText
    public let message: LocalizedText
    public internal(set) var advice: LocalizedText
    /// Seconds until a retry makes sense, for `Retry-After`.
    public let retryAfter: Int?
    /// Whether the sign-in of the request cannot go on, so that its page leads to one anew.
    private(set) var endsInteraction = false

    public init(
        _ status: Status, _ headline: any LocalizedTextConvertible, _ message: any LocalizedTextConvertible,
        advice: any LocalizedTextConvertible, retryAfter: Int? = nil
    ) {
        self.status = status
        self.headline = headline.localizedText
        self.message = message.localizedText
        self.advice = advice.localizedText
        self.retryAfter = retryAfter
    }

    /// The error with the texts `headline`, `message` and `advice` of a family.
    public init(_ status: Status, _ family: StaticString, retryAfter: Int? = nil) {
        self.init(
            status, Message(in: family, "headline"), Message(in: family, "message"),
            advice: Message(in: family, "advice"), retryAfter: retryAfter)
    }

    public static let notFound = UserFacingError(.notFound, "shared.problems.not-found")

    public static let forbidden = UserFacingError(.forbidden, "shared.problems.forbidden")

    /// A change to a team whose deletion has begun.
    public static let teamClosed = UserFacingError(.conflict, "shared.problems.team-closed")

    /// A form whose page is older than what it is about, or than the cookie that its token belongs to.
    public static let staleForm = UserFacingError(.forbidden, "shared.problems.stale-form")

    /// A form from elsewhere than `publicURL`, or one of which the browser does not say where it is from.
    static func otherAddress(than publicURL: String) -> UserFacingError {
        UserFacingError(
            .forbidden, Message("shared.problems.other-address.headline"),
            Message("shared.problems.other-address.message", ["url": publicURL]),
            advice: Message("shared.problems.other-address.advice", ["url": publicURL])
        ).endingInteraction
    }

    /// A form or a return without the cookie that its page came with.
    static func noCookie(at publicURL: String, _ status: Status = .forbidden) -> UserFacingError {
        UserFacingError(
            status, Message("shared.problems.no-cookie.headline"),
            Message("shared.problems.no-cookie.message", ["url": publicURL]),
            advice: Message("shared.problems.no-cookie.advice", ["url": publicURL])
        ).endingInteraction
    }

    /// The interaction is unknown, has ended, or belongs to another browser.
    static let interactionExpired = UserFacingError(.gone, "hosted.problems.interaction-over").endingInteraction

    private var endingInteraction: UserFacingError {
        var error = self
        error.endsInteraction = true
        return error
    }

    /// Whether the same request may succeed a little later.
    var isTemporary: Bool { retryAfter != nil || status.code >= 500 }

    /// A limit is exceeded.
    public init(_ refusal: TooManyRequests) {
        self.init(
            .tooManyRequests, Message("shared.problems.too-many.headline"),
            Message("shared.problems.too-many.wait", count: refusal.minutes),
            advice: Message("shared.problems.too-many.advice"), retryAfter: refusal.retryAfter)
    }

    public static let unavailable = UserFacingError(.serviceUnavailable, "shared.problems.unavailable", retryAfter: 2)

    /// A search that reached its timeout.
    public static let searchTooWide = UserFacingError(.unprocessableContent, "shared.problems.search-too-wide")

    public static let failed = UserFacingError(.internalServerError, "shared.problems.failed")

    /// The user-facing error for any error.
    ///
    /// The cause is only logged.
    public init(_ error: any Error) {
        switch error {
        case let problem as UserFacingError: self = problem
        case let refusal as TooManyRequests: self = UserFacingError(refusal)
        case PostgresFailure.searchTimedOut: self = .searchTooWide
        case let failure as PostgresFailure: self = failure.isTemporary ? .unavailable : .failed
        case let refusal as HTTPError: self = UserFacingError(refusal)
        case is FormCoding.Failure: self = UserFacingError(HTTPError.badRequest)
        default: self = .failed
        }
    }

    /// The user-facing error for an error of the HTTP server.
    public init(_ refusal: HTTPError) {
        switch refusal {
        case .notFound: self = .notFound
        case .deadlinePassed, .overloaded: self = .unavailable
        case .failed(let error): self = UserFacingError(error)
        case .badRequest, .misdirected, .headerFieldsTooLarge, .versionNotSupported, .methodNotAllowed,
            .contentTooLarge, .unsupportedMediaType:
            self = UserFacingError(refusal.status, "shared.problems.bad-request")
        }
    }
}

extension TooManyRequests {
    /// Beside what was typed: that there were too many attempts, and when to try again.
    public var message: Message { Message("shared.problems.too-many.message", count: minutes) }

    /// The wait in minutes, rounded up.
    fileprivate var minutes: Int { (retryAfter + 59) / 60 }
}
