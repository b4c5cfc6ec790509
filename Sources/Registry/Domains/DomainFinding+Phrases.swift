public import Core

extension DomainFinding {
    /// Message with the result of the check.
    public var headline: Message {
        let detail = detail ?? ""
        return switch kind {
        case .served: Message("console.domains.served")
        case .redirected: Message("console.domains.redirected", ["status": String(status ?? 0)])
        case .otherStatus: Message("console.domains.other-status", ["status": String(status ?? 0)])
        case .otherContent: Message("console.domains.other-content")
        case .lineBreak: Message("console.domains.line-break")
        case .tooLong: Message("console.domains.too-long")
        case .addressRefused: Message("console.domains.address-refused")
        case .nameNotFound: Message("console.domains.name-not-found")
        case .unreachable: Message("console.domains.unreachable")
        case .untrusted: Message("console.domains.untrusted", ["reason": detail])
        case .deadlinePassed: Message("console.domains.deadline-passed")
        case .malformed: Message("console.domains.malformed")
        }
    }

    /// Message with the change to make.
    ///
    /// - Parameter address: the URL of the file.
    func advice(at address: String) -> Message {
        switch kind {
        case .served: Message("console.domains.served.advice")
        case .redirected: Message("console.domains.redirected.advice")
        case .otherStatus: Message("console.domains.other-status.advice", ["address": address])
        case .otherContent: Message("console.domains.other-content.advice")
        case .lineBreak: Message("console.domains.line-break.advice")
        case .tooLong: Message("console.domains.too-long.advice")
        case .addressRefused: Message("console.domains.address-refused.advice")
        case .nameNotFound: Message("console.domains.name-not-found.advice")
        case .unreachable: Message("console.domains.unreachable.advice")
        case .untrusted: Message("console.domains.untrusted.advice")
        case .deadlinePassed: Message("console.domains.deadline-passed.advice")
        case .malformed: Message("console.domains.malformed.advice")
        }
    }
}
