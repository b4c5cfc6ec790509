import AuthEngine
import Bytes
import Domain

/// The likely causes of a refusal, the likeliest first: what the request itself shows comes before what is merely
/// common.
struct FlowEvidence: Sendable {
    let step: FlowStep
    private let team: TeamSnapshot

    init(_ step: FlowStep, _ team: TeamSnapshot) {
        self.step = step
        self.team = team
    }

    var likely: [Phrase] {
        switch step.cause ?? .other {
        case .clientMissing, .clientMalformed, .clientUnknown: client
        case .returnURLUnregistered, .returnURLMissing: returnURL
        case .keyUnknown, .keyIDMissing, .keyOfOtherApp: key
        case .signatureInvalid, .signatureIsDER: signature
        case .issuerWrong, .subjectWrong, .audienceWrong: claims
        case .secretExpired, .issuedInFuture, .secretTooLong, .secretNotYetValid: times
        case .secretMissing, .secretMalformed, .secretAlgorithm, .secretHeader: secret
        case .codeUnknown, .codeMalformed, .codeExpired, .codeUsed, .codeOfOtherClient,
            .codeOfOtherReturnURL, .codeVerifierWrong:
            code
        case .secondFactorWrong, .secondFactorLocked: secondFactor
        case .providerUnreachable, .providerTrouble, .providerThrottles, .providerMalformed: silence
        case .providerClient, .providerRequest, .providerRefused, .providerAbsent: registration
        case .providerCode, .providerAnswer, .providerBusy, .providerParted, .providerSubjectTaken: answer
        case .providerToken, .providerIssuer, .providerAudience, .providerExpired, .providerKey,
            .providerNonce:
            token
        default: []
        }
    }

    private func sent(_ name: String) -> String? { step.sent.first { $0.name == name }?.value }
    private func known(_ name: String) -> [String] { step.known.filter { $0.name == name }.map(\.value) }

    private var client: [Phrase] {
        var likely: [Phrase] = []
        if let nearest = known("nearest").first {
            likely.append(Phrase("console.likely.client-typo", ["client": nearest]))
        }
        if sent("client_id") == nil { likely.append(Phrase("console.likely.client-absent")) }
        return likely + [Phrase("console.likely.client-other-team"), Phrase("console.likely.client-deleted")]
    }

    private var returnURL: [Phrase] {
        var likely: [Phrase] = []
        if let nearest = known("nearest").first, let differences = known("differences").first,
            !differences.isEmpty
        {
            let names = differences.split(separator: " ").map {
                Phrase(in: "console.flow-differences", String($0))
            }
            likely.append(
                names.count == 1
                    ? Phrase("console.likely.url-differs-only", ["by": names, "url": nearest])
                    : Phrase("console.likely.url-differs", ["by": names, "url": nearest])
            )
        }
        if known("registered").isEmpty, step.cause == .returnURLUnregistered {
            likely.append(Phrase("console.likely.url-none"))
        }
        return likely + [Phrase("console.likely.url-proxy"), Phrase("console.likely.url-other-environment")]
    }

    private var key: [Phrase] {
        var likely: [Phrase] = []
        if let named = sent("client_secret.kid") {
            if named == team.id.rawValue { likely.append(Phrase("console.likely.kid-is-team")) }
            let good = known("client_secret.kid")
            likely.append(
                good.isEmpty
                    ? Phrase("console.likely.kid-none")
                    : Phrase("console.likely.kid-others", ["key": named, "keys": good])
            )
        } else {
            likely.append(Phrase("console.likely.kid-absent"))
        }
        return likely + [Phrase("console.likely.kid-revoked"), Phrase("console.likely.kid-apple")]
    }

    private var signature: [Phrase] {
        let der = Phrase("console.likely.signature-der")
        let other = [
            Phrase("console.likely.signature-other-key"), Phrase("console.likely.signature-changed"),
        ]
        return step.cause == .signatureIsDER ? [der] : other + [der]
    }

    private var claims: [Phrase] {
        let (issuer, subject) = (sent("client_secret.iss"), sent("client_secret.sub"))
        if issuer != nil, issuer == known("client_secret.sub").first, subject == team.id.rawValue {
            return [Phrase("console.likely.claims-swapped")]
        }
        switch step.cause {
        case .issuerWrong:
            return [
                Phrase("console.likely.iss-apple", ["team": team.id.rawValue]),
                Phrase("console.likely.iss-client"),
            ]
        case .subjectWrong:
            return [Phrase("console.likely.sub-bundle"), Phrase("console.likely.sub-team")]
        default:
            let audience = known("client_secret.aud").first ?? ""
            return [
                Phrase("console.likely.aud-endpoint", ["audience": audience]),
                Phrase("console.likely.aud-slash"),
            ]
        }
    }

    private var times: [Phrase] {
        switch step.cause {
        case .secretExpired: [Phrase("console.likely.exp-stored"), Phrase("console.likely.exp-clock")]
        case .secretTooLong: [Phrase("console.likely.exp-long"), Phrase("console.likely.exp-milliseconds")]
        default: [Phrase("console.likely.iat-clock"), Phrase("console.likely.exp-milliseconds")]
        }
    }

    private var secret: [Phrase] {
        switch step.cause {
        case .secretMissing: [Phrase("console.likely.secret-basic"), Phrase("console.likely.secret-empty")]
        case .secretAlgorithm: [Phrase("console.likely.secret-hs256")]
        case .secretHeader: [Phrase("console.likely.secret-members")]
        default: [Phrase("console.likely.secret-file"), Phrase("console.likely.secret-cut")]
        }
    }

    private var secondFactor: [Phrase] {
        [
            Phrase("console.likely.factor-clock"), Phrase("console.likely.factor-used"),
            Phrase("console.likely.factor-lost"),
        ]
    }

    private var code: [Phrase] {
        switch step.cause {
        case .codeUsed: [Phrase("console.likely.code-twice"), Phrase("console.likely.code-reload")]
        case .codeExpired: [Phrase("console.likely.code-late")]
        case .codeOfOtherClient: [Phrase("console.likely.code-client")]
        case .codeOfOtherReturnURL: [Phrase("console.likely.code-url")]
        case .codeVerifierWrong: [Phrase("console.likely.code-verifier")]
        default: [Phrase("console.likely.code-decoded"), Phrase("console.likely.code-other-team")]
        }
    }
}
