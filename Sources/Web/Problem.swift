import Bytes
public import HTTP
import Postgres

/// A refusal of ours in words, the one place where an error gets its status.
public struct Problem: Error, Sendable {
    public let status: Status
    public let headline: String
    public let message: String
    public let advice: String
    /// Seconds after which trying again makes sense.
    public let retryAfter: Int?

    public init(
        _ status: Status,
        _ headline: String,
        _ message: String,
        advice: String,
        retryAfter: Int? = nil
    ) {
        self.status = status
        self.headline = headline
        self.message = message
        self.advice = advice
        self.retryAfter = retryAfter
    }

    public static let notFound = Problem(
        .notFound,
        "This page does not exist",
        "There is nothing at this address, or nothing you may see.",
        advice: "Check the address, or go back to where you came from."
    )

    public static let forbidden = Problem(
        .forbidden,
        "Your role does not allow this",
        "Someone with more rights in this team can do it.",
        advice: "Ask an owner or admin of the team."
    )

    /// A form that did not come from a page of ours, or from one that is too old.
    public static let staleForm = Problem(
        .forbidden,
        "This form has expired",
        "Nothing was changed. The page was open for too long, or cookies are switched off.",
        advice: "Go back, reload the page and send the form again."
    )

    public static let unavailable = Problem(
        .serviceUnavailable,
        "Pippin is catching its breath",
        "Nothing was lost, but the request could not be answered right now.",
        advice: "Try again in a few seconds.",
        retryAfter: 2
    )

    public static let failed = Problem(
        .internalServerError,
        "Something went wrong on our side",
        "It is not your doing. The reference below leads to what happened.",
        advice: "Try again; if it happens once more, tell the operator the reference."
    )

    /// The problem an error is to the one who asked.
    ///
    /// Its cause goes to the log only.
    public init(_ error: any Error) {
        switch error {
        case let problem as Problem: self = problem
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
        case .badRequest, .headerFieldsTooLarge, .versionNotSupported, .methodNotAllowed, .contentTooLarge,
            .unsupportedMediaType:
            self = Problem(
                refusal.status,
                "This request makes no sense here",
                "The address or what was sent along cannot be understood.",
                advice: "Go back and try again from the page before."
            )
        }
    }
}
