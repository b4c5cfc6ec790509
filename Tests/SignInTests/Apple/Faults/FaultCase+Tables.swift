import OAuth
import Simulator

// What each fault does to each way of signing in.
extension FaultCase {
    /// A browser: Apple's token comes with it, then the code is redeemed.
    static let web = arrival(.web) + redemption(.web, before: [.name], after: [.name]) + keys(.web)

    /// An app with Apple's token: as in a browser, but for the name, which waits until Apple has taken the code.
    static let native = arrival(.native) + redemption(.native, before: [.waitingName], after: [.name]) + keys(.native)

    /// An app without Apple's token.
    ///
    /// Who came is known by the code alone, so a code that is spent in vain leaves nobody to keep the name with. The app,
    /// which has it, sends it with its next code.
    static let codeAlone: [FaultCase] = redemption(.codeAlone, before: [], after: []) + keys(.codeAlone)

    /// While Apple's token comes: nothing proves who came, so nothing is kept with anybody; the code is left alone.
    private static func arrival(_ way: Way) -> [FaultCase] {
        func unproved(_ fault: Fault, _ outcome: Outcome) -> FaultCase {
            FaultCase(way, .browser, fault, outcome, leaving: [], then: outcome)
        }
        return [
            unproved(.unknownKey, .again(.upstreamKey)), FaultCase(way, .browser, .newKey, .done),
            unproved(.otherIssuer, .never(.upstreamIssuer)), unproved(.otherAudience, .never(.upstreamAudience)),
            unproved(.expired, .anew(.upstreamExpired)), unproved(.ahead, .again(.upstreamExpired)),
            unproved(.otherNonce, .anew(.upstreamNonce)),
        ]
    }

    /// While the code is redeemed.
    ///
    /// - Parameters:
    ///   - before: where the name is while nobody knows whether Apple has taken the code.
    ///   - after: where it is once Apple has.
    private static func redemption(_ way: Way, before: Set<Trace>, after: Set<Trace>) -> [FaultCase] {
        func unspent(_ fault: Fault, _ outcome: Outcome) -> FaultCase {
            FaultCase(way, .token, fault, outcome, leaving: before, then: .done)
        }
        func spent(_ fault: Fault, _ outcome: Outcome, _ traces: Set<Trace>) -> FaultCase {
            let all = traces.union([.spentCode])
            return FaultCase(way, .token, fault, outcome, leaving: all, then: .anew(.upstreamCode))
        }
        // Nothing of the answer is believed, and what it gave is kept all the same.
        func unproved(_ fault: Fault, _ outcome: Outcome) -> FaultCase { spent(fault, outcome, after.union([.token])) }
        return [
            FaultCase(way, .token, .slow, .done), unspent(.silent, .again(.upstreamUnreachable)),
            unspent(.trouble, .again(.upstreamTrouble)), unspent(.throttled, .again(.upstreamThrottles)),
            unspent(.badRequest, .anew(.upstreamRequest)), unspent(.unknownClient, .never(.upstreamClient)),
            // Whether it was spent nobody can know but by trying.
            spent(.broken, .again(.upstreamMalformed), before), spent(.malformed, .anew(.upstreamMalformed), before),
            unproved(.unknownKey, .anew(.upstreamKey)), FaultCase(way, .token, .newKey, .done),
            unproved(.otherIssuer, .never(.upstreamIssuer)), unproved(.otherAudience, .never(.upstreamAudience)),
            unproved(.expired, .anew(.upstreamExpired)), unproved(.ahead, .anew(.upstreamExpired)),
            unproved(.otherNonce, .anew(.upstreamNonce)),
        ]
    }

    /// While Apple's keys are fetched, before anything else.
    private static func keys(_ way: Way) -> [FaultCase] {
        func untouched(_ fault: Fault, _ cause: RefusalCause) -> FaultCase {
            FaultCase(way, .keys, fault, .again(cause), leaving: [], then: .done)
        }
        return [
            FaultCase(way, .keys, .slow, .done), untouched(.silent, .upstreamUnreachable),
            untouched(.trouble, .upstreamTrouble), untouched(.broken, .upstreamMalformed),
            untouched(.malformed, .upstreamMalformed), untouched(.throttled, .upstreamThrottles),
        ]
    }
}
