import Core
import OAuth
import Platform
import Registry

/// Likely causes of a refusal, most likely first: evidence in the request comes before common mistakes.
struct TraceEvidence: Sendable {
    let step: TraceEvent
    private let team: TeamSnapshot

    init(_ step: TraceEvent, _ team: TeamSnapshot) {
        self.step = step
        self.team = team
    }

    var likely: [Message] { damage + causes }

    /// What is wrong with the text of the values themselves, whatever the cause.
    private var damage: [Message] {
        let links = known("link").map { Message(in: "console.link-advice", $0) }
        let ends = step.sent.compactMap { fact in Redaction.unseenEnd(of: fact.value).map { end(fact.name, $0) } }
        return links + ends
    }

    private func end(_ name: String, _ scalar: Unicode.Scalar) -> Message {
        switch scalar {
        case "\n", "\r": Message("console.likely.end-of-line", ["name": name])
        case " ": Message("console.likely.end-blank", ["name": name])
        default: Message("console.likely.end-other", ["name": name, "character": ValidationError.name(scalar)])
        }
    }

    private var causes: [Message] {
        switch step.cause ?? .other {
        case .clientMissing, .clientMalformed, .clientUnknown: client
        case .returnURLUnregistered, .returnURLMissing: returnURL
        case .scopeUnknown: scope
        case .keyUnknown, .keyIDMissing, .keyOfOtherApp: key
        case .signatureInvalid, .signatureIsDER: signature
        case .issuerWrong, .subjectWrong, .audienceWrong: claims
        case .secretTime, .secretExpired, .issuedInFuture, .secretTooLong, .secretNotYetValid: times
        case .secretMissing, .secretMalformed, .secretAlgorithm, .secretHeader: secret
        case .codeUnknown, .codeMalformed, .codeExpired, .codeUsed, .codeOfOtherClient, .codeOfOtherReturnURL,
            .codeVerifierWrong:
            code
        case .secondFactorWrong, .secondFactorLocked: secondFactor
        case .upstreamUnreachable, .upstreamTrouble, .upstreamThrottles, .upstreamMalformed: silence
        case .upstreamClient, .upstreamRequest, .upstreamRefused, .upstreamAbsent: registration
        case .upstreamCode, .upstreamAnswer, .upstreamBusy, .upstreamUnlinked, .upstreamSubjectTaken: answer
        case .upstreamToken, .upstreamIssuer, .upstreamAudience, .upstreamExpired, .upstreamKey, .upstreamNonce: token
        default: []
        }
    }

    private func sent(_ name: String) -> String? { step.sent.first { $0.name == name }?.value }
    private func known(_ name: String) -> [String] { step.known.filter { $0.name == name }.map(\.value) }

    private var client: [Message] {
        var likely: [Message] = []
        if let nearest = known("nearest").first {
            likely.append(Message("console.likely.client-typo", ["client": nearest]))
        }
        if sent("client_id") == nil { likely.append(Message("console.likely.client-absent")) }
        return likely + [Message("console.likely.client-other-team"), Message("console.likely.client-deleted")]
    }

    private var scope: [Message] {
        // In parentheses stands what was not kept.
        guard let text = sent("scope"), !text.hasPrefix("(") else { return [] }
        let words = text.split(separator: " ").map(String.init)
        return words.filter { !["name", "email", "openid"].contains($0) }.prefix(3).map { word in
            let isSeveral = word.utf8.contains { ",;+|%".utf8.contains($0) }
            return isSeveral
                ? Message("console.likely.scope-separator", ["scope": word])
                : Message("console.likely.scope-none", ["scope": word])
        }
    }

    /// Whether the client is a native app.
    private var isBundleID: Bool {
        guard let client = sent("client_id").flatMap(ClientID.init(rawValue:)) else { return false }
        return team.client(client) != nil && !team.isServiceID(client)
    }

    private var returnURL: [Message] {
        guard !isBundleID else { return [Message("console.likely.client-bundle")] }
        var likely: [Message] = []
        if let nearest = known("nearest").first, let differences = known("differences").first, !differences.isEmpty {
            let names = differences.split(separator: " ").map { Message(in: "console.trace-differences", String($0)) }
            likely.append(
                names.count == 1
                    ? Message("console.likely.url-differs-only", ["by": names, "url": nearest])
                    : Message("console.likely.url-differs", ["by": names, "url": nearest]))
        }
        if known("registered").isEmpty, step.cause == .returnURLUnregistered {
            likely.append(Message("console.likely.url-none"))
        }
        return likely + [Message("console.likely.url-proxy"), Message("console.likely.url-other-environment")]
    }

    private var key: [Message] {
        var likely: [Message] = []
        if let named = sent("client_secret.kid") {
            if named == team.id.rawValue { likely.append(Message("console.likely.kid-is-team")) }
            let good = known("client_secret.kid")
            likely.append(
                good.isEmpty
                    ? Message("console.likely.kid-none")
                    : Message("console.likely.kid-others", ["key": named, "keys": good]))
        } else {
            likely.append(Message("console.likely.kid-absent"))
        }
        return likely + [Message("console.likely.kid-revoked"), Message("console.likely.kid-apple")]
    }

    private var signature: [Message] {
        let der = Message("console.likely.signature-der")
        let other = [Message("console.likely.signature-other-key"), Message("console.likely.signature-changed")]
        return step.cause == .signatureIsDER ? [der] : other + [der]
    }

    private var claims: [Message] {
        let (issuer, subject) = (sent("client_secret.iss"), sent("client_secret.sub"))
        if issuer != nil, issuer == known("client_secret.sub").first, subject == team.id.rawValue {
            return [Message("console.likely.claims-swapped")]
        }
        switch step.cause {
        case .issuerWrong:
            return [
                Message("console.likely.iss-apple", ["team": team.id.rawValue]), Message("console.likely.iss-client"),
            ]
        case .subjectWrong: return [Message("console.likely.sub-bundle"), Message("console.likely.sub-team")]
        default:
            let audience = known("client_secret.aud").first ?? ""
            return [
                Message("console.likely.aud-endpoint", ["audience": audience]), Message("console.likely.aud-slash"),
            ]
        }
    }

    private var times: [Message] {
        switch step.cause {
        case .secretTime: [oddTime]
        case .secretExpired: [Message("console.likely.exp-stored"), Message("console.likely.exp-clock")]
        case .secretTooLong: [Message("console.likely.exp-long"), Message("console.likely.exp-milliseconds")]
        default: [Message("console.likely.iat-clock"), Message("console.likely.exp-milliseconds")]
        }
    }

    private var oddTime: Message {
        if let name = ["iat", "exp"].first(where: { [nil, "null"].contains(sent("client_secret.\($0)")) }) {
            return Message("console.likely.time-absent", ["claim": name])
        }
        let quoted = ["iat", "exp", "nbf"].first { sent("client_secret.\($0)")?.hasPrefix("\"") == true }
        return quoted.map { Message("console.likely.time-quoted", ["claim": $0]) }
            ?? Message("console.likely.exp-milliseconds")
    }

    private var secret: [Message] {
        switch step.cause {
        case .secretMissing: [Message("console.likely.secret-basic"), Message("console.likely.secret-empty")]
        case .secretAlgorithm: [Message("console.likely.secret-hs256")]
        case .secretHeader: [Message("console.likely.secret-members")]
        default: [Message("console.likely.secret-file"), Message("console.likely.secret-cut")]
        }
    }

    private var secondFactor: [Message] {
        [
            Message("console.likely.factor-clock"), Message("console.likely.factor-used"),
            Message("console.likely.factor-lost"),
        ]
    }

    private var code: [Message] {
        switch step.cause {
        case .codeUsed: [Message("console.likely.code-twice"), Message("console.likely.code-reload")]
        case .codeExpired: [Message("console.likely.code-late")]
        case .codeOfOtherClient:
            (isBundleID ? [Message("console.likely.client-bundle")] : []) + [Message("console.likely.code-client")]
        case .codeOfOtherReturnURL: [Message("console.likely.code-url")]
        case .codeVerifierWrong: [Message("console.likely.code-verifier")]
        default:
            known("issuer").first == "Apple"
                ? [Message("console.likely.code-apple")]
                : [Message("console.likely.code-decoded"), Message("console.likely.code-other-team")]
        }
    }
}

// Likely causes of failed sign-ins with Apple.
extension TraceEvidence {
    /// Likely causes if Apple gave no usable response.
    var silence: [Message] {
        switch step.cause {
        case .upstreamUnreachable:
            [
                Message("console.likely.apple-network"), Message("console.likely.apple-firewall"),
                Message("console.likely.apple-slow"),
            ]
        case .upstreamThrottles:
            [Message("console.likely.apple-many-calls"), Message("console.likely.apple-shared-key")]
        case .upstreamMalformed:
            [Message("console.likely.apple-broke-off"), Message("console.likely.apple-intercepted")]
        default:
            [
                Message("console.likely.apple-outage"), Message("console.likely.apple-just-changed"),
                Message("console.likely.apple-lasting"),
            ]
        }
    }

    /// Likely causes if the registration at Apple differs from the one in Pippin.
    var registration: [Message] {
        switch step.cause {
        case .upstreamClient:
            [
                Message("console.likely.apple-key-revoked"), Message("console.likely.apple-values"),
                Message("console.likely.apple-clock"),
            ]
        case .upstreamAbsent: [Message("console.likely.apple-not-connected"), Message("console.likely.apple-group")]
        default:
            [
                Message("console.likely.apple-return-url"), Message("console.likely.apple-switched-off"),
                Message("console.likely.apple-just-changed"),
            ]
        }
    }

    /// Likely causes if Apple's response was no longer valid, or not valid for this sign-in.
    var answer: [Message] {
        switch step.cause {
        case .upstreamCode:
            [
                Message("console.likely.apple-reload"), Message("console.likely.apple-late"),
                Message("console.likely.apple-redeemed-elsewhere"),
            ]
        case .upstreamAnswer: [Message("console.likely.apple-by-hand"), Message("console.likely.apple-browser")]
        case .upstreamBusy: [Message("console.likely.apple-twice"), Message("console.likely.apple-retry")]
        case .upstreamUnlinked: [Message("console.likely.apple-unlinked")]
        default: [Message("console.likely.apple-imported"), Message("console.likely.apple-wrong-sub")]
        }
    }

    /// Likely causes if Apple's ID token is invalid.
    var token: [Message] {
        switch step.cause {
        case .upstreamIssuer: [Message("console.likely.apple-drift"), Message("console.likely.apple-environment")]
        case .upstreamAudience:
            [Message("console.likely.apple-bundle"), Message("console.likely.apple-other-connection")]
        case .upstreamExpired: [Message("console.likely.apple-clock"), Message("console.likely.apple-kept")]
        case .upstreamKey: [Message("console.likely.apple-new-key"), Message("console.likely.apple-forged")]
        case .upstreamNonce: [Message("console.likely.apple-nonce"), Message("console.likely.apple-replayed")]
        default: [Message("console.likely.apple-mixed"), Message("console.likely.apple-forged")]
        }
    }
}
