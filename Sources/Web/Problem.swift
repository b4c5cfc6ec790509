public import Bytes
public import HTTP
import Postgres

/// A refusal of ours in words, the one place where an error gets its status.
public struct Problem: Error, Sendable {
    public let status: Status
    public let headline: Words
    public let message: Words
    public let advice: Words
    /// Seconds after which trying again makes sense.
    public let retryAfter: Int?

    public init(
        _ status: Status,
        _ headline: any Wording,
        _ message: any Wording,
        advice: any Wording,
        retryAfter: Int? = nil
    ) {
        self.status = status
        self.headline = headline.asWords
        self.message = message.asWords
        self.advice = advice.asWords
        self.retryAfter = retryAfter
    }

    public static let notFound = Problem(
        .notFound,
        Phrase("shared.problems.not-found.headline"),
        Phrase("shared.problems.not-found.message"),
        advice: Phrase("shared.problems.not-found.advice")
    )

    public static let forbidden = Problem(
        .forbidden,
        Phrase("shared.problems.forbidden.headline"),
        Phrase("shared.problems.forbidden.message"),
        advice: Phrase("shared.problems.forbidden.advice")
    )

    /// Something that would change a team whose deletion has begun.
    public static let teamClosed = Problem(
        .conflict,
        Phrase("shared.problems.team-closed.headline"),
        Phrase("shared.problems.team-closed.message"),
        advice: Phrase("shared.problems.team-closed.advice")
    )

    /// A form that did not come from a page of ours, or from one that is too old.
    public static let staleForm = Problem(
        .forbidden,
        Phrase("shared.problems.stale-form.headline"),
        Phrase("shared.problems.stale-form.message"),
        advice: Phrase("shared.problems.stale-form.advice")
    )

    public static let unavailable = Problem(
        .serviceUnavailable,
        Phrase("shared.problems.unavailable.headline"),
        Phrase("shared.problems.unavailable.message"),
        advice: Phrase("shared.problems.unavailable.advice"),
        retryAfter: 2
    )

    /// A search that would have to read more than one may.
    public static let searchTooWide = Problem(
        .unprocessableContent,
        Phrase("shared.problems.search-too-wide.headline"),
        Phrase("shared.problems.search-too-wide.message"),
        advice: Phrase("shared.problems.search-too-wide.advice")
    )

    public static let failed = Problem(
        .internalServerError,
        Phrase("shared.problems.failed.headline"),
        Phrase("shared.problems.failed.message"),
        advice: Phrase("shared.problems.failed.advice")
    )

    /// The problem an error is to the one who asked.
    ///
    /// Its cause goes to the log only.
    public init(_ error: any Error) {
        switch error {
        case let problem as Problem: self = problem
        case PostgresFailure.searchTimedOut: self = .searchTooWide
        case let failure as PostgresFailure: self = failure.isTemporary ? .unavailable : .failed
        case let refusal as Refusal: self = Problem(refusal)
        case is FormCoding.Failure: self = Problem(Refusal.badRequest)
        default: self = .failed
        }
    }

    /// The problem a refusal of the server is.
    public init(_ refusal: Refusal) {
        switch refusal {
        case .notFound: self = .notFound
        case .deadlinePassed, .overloaded: self = .unavailable
        case .failed(let error): self = Problem(error)
        case .badRequest, .misdirected, .headerFieldsTooLarge, .versionNotSupported, .methodNotAllowed,
            .contentTooLarge,
            .unsupportedMediaType:
            self = Problem(
                refusal.status,
                Phrase("shared.problems.bad-request.headline"),
                Phrase("shared.problems.bad-request.message"),
                advice: Phrase("shared.problems.bad-request.advice")
            )
        }
    }
}
