public import Core
import HTTP

/// Attempt to deliver a notification.
public struct DeliveryAttempt: Sendable {
    /// Reason for a missing answer; a closed list, for which pages have localized texts.
    public enum Problem: String, Sendable, CaseIterable {
        case addressMissing = "address_missing"
        case addressMalformed = "address_malformed"
        case addressRefused = "address_refused"
        case nameNotFound = "name_not_found"
        case cannotConnect = "cannot_connect"
        case untrusted
        case deadlinePassed = "deadline_passed"
        case malformedAnswer = "malformed_answer"
        case answerTooLong = "answer_too_long"
        case other
    }

    /// Result of an attempt.
    public enum Result: Equatable, Sendable {
        case answered(status: Int)
        case failed(Problem)
    }

    /// Maximum length of the stored beginning of an answer, in Unicode scalars.
    static let excerptLength = 500

    public let at: Timestamp
    public let url: String
    public let result: Result
    public let milliseconds: Int
    /// The beginning of the answer, without control characters.
    public let excerpt: String

    /// Whether the status is 2xx; a redirect is no delivery, because it is not followed.
    var isDelivery: Bool { if case .answered(let status) = result { (200..<300).contains(status) } else { false } }

    /// Short form of the result, without any address, for operators.
    var summary: String {
        switch result {
        case .answered(let status): "status \(status)"
        case .failed(let problem): problem.rawValue
        }
    }

    /// Beginning of a body as text in one line.
    static func excerpt(of body: [UInt8]) -> String {
        let text = String(decoding: body.prefix(4 * excerptLength), as: UTF8.self)
        var line = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { line.append(scalar.properties.generalCategory == .control ? " " : scalar) }
        return String(line.prefix(excerptLength))
    }
}

extension DeliveryAttempt.Problem {
    init(_ failure: ClientFailure) {
        switch failure {
        case .malformedRequest: self = .addressMalformed
        case .addressRefused: self = .addressRefused
        case .nameNotFound: self = .nameNotFound
        case .cannotConnect: self = .cannotConnect
        case .untrusted: self = .untrusted
        case .deadlinePassed: self = .deadlinePassed
        case .malformedAnswer: self = .malformedAnswer
        case .bodyTooLong: self = .answerTooLong
        case .tooManyRedirects, .cancelled, .other: self = .other
        }
    }
}
