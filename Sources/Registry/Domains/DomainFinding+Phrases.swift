public import Bytes

extension DomainFinding {
    /// What was seen, in a sentence.
    public var headline: Phrase {
        let detail = detail ?? ""
        return switch kind {
        case .served: Phrase("console.domains.served")
        case .redirected: Phrase("console.domains.redirected", ["status": String(status ?? 0)])
        case .otherStatus: Phrase("console.domains.other-status", ["status": String(status ?? 0)])
        case .otherContent: Phrase("console.domains.other-content")
        case .lineBreak: Phrase("console.domains.line-break")
        case .tooLong: Phrase("console.domains.too-long")
        case .addressRefused: Phrase("console.domains.address-refused")
        case .nameNotFound: Phrase("console.domains.name-not-found")
        case .unreachable: Phrase("console.domains.unreachable")
        case .untrusted: Phrase("console.domains.untrusted", ["reason": detail])
        case .deadlinePassed: Phrase("console.domains.deadline-passed")
        case .malformed: Phrase("console.domains.malformed")
        }
    }

    /// What to change.
    ///
    /// - Parameter address: where the file is looked for.
    func advice(at address: String) -> Phrase {
        switch kind {
        case .served: Phrase("console.domains.served.advice")
        case .redirected: Phrase("console.domains.redirected.advice")
        case .otherStatus: Phrase("console.domains.other-status.advice", ["address": address])
        case .otherContent: Phrase("console.domains.other-content.advice")
        case .lineBreak: Phrase("console.domains.line-break.advice")
        case .tooLong: Phrase("console.domains.too-long.advice")
        case .addressRefused: Phrase("console.domains.address-refused.advice")
        case .nameNotFound: Phrase("console.domains.name-not-found.advice")
        case .unreachable: Phrase("console.domains.unreachable.advice")
        case .untrusted: Phrase("console.domains.untrusted.advice")
        case .deadlinePassed: Phrase("console.domains.deadline-passed.advice")
        case .malformed: Phrase("console.domains.malformed.advice")
        }
    }
}
