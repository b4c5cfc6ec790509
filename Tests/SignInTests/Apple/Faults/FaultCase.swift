import OAuth
import Simulator
import Testing

/// One thing that goes wrong at Apple in one way of signing in, and all that follows from it.
struct FaultCase: Sendable, CustomTestStringConvertible {
    /// How a person signs in.
    enum Way: String, CaseIterable, Sendable {
        case web
        /// An app hands over everything that Apple gave it.
        case native
        /// An app hands over its code and the name, without Apple's token.
        case codeAlone
    }

    /// What the person or the app gets, and the cause that the team is told.
    enum Outcome: Hashable, Sendable {
        /// The person is signed in, with the name.
        case done
        /// The same answer of Apple's is worth another try.
        case again(RefusalCause)
        /// Apple has to be asked for another answer.
        case anew(RefusalCause)
        /// The team has to change something, or Apple.
        case never(RefusalCause)

        var cause: RefusalCause? {
            switch self {
            case .done: nil
            case .again(let cause), .anew(let cause), .never(let cause): cause
            }
        }

        /// Whether the same answer of Apple's is kept for one.
        var isWorthAnotherTry: Bool { if case .again = self { true } else { false } }
    }

    /// What is left behind.
    enum Trace: Sendable {
        /// The name lies in the vault.
        case name
        /// The name waits for whoever it is about.
        case waitingName
        /// What Apple gave is kept, to be given back.
        case token
        /// Apple's code is used up.
        case spentCode
    }

    let way: Way
    let place: Place
    let fault: Fault
    let outcome: Outcome
    let traces: Set<Trace>
    /// What the same answer of Apple's leads to once the fault is over.
    let then: Outcome

    init(
        _ way: Way, _ place: Place, _ fault: Fault, _ outcome: Outcome,
        leaving traces: Set<Trace> = [.name, .token, .spentCode], then: Outcome = .done
    ) {
        (self.way, self.place, self.fault, self.outcome) = (way, place, fault, outcome)
        (self.traces, self.then) = (traces, then)
    }

    var testDescription: String { "\(fault) at \(place)" }
}

extension FaultCase {
    static func all(_ way: Way) -> [FaultCase] {
        switch way {
        case .web: web
        case .native: native
        case .codeAlone: codeAlone
        }
    }

    /// Each fault at one place, and each place.
    static func few(_ way: Way) -> [FaultCase] {
        let few = all(way).map { ($0.fault, $0.place) }.sampled(1)
        return all(way).filter { fault in few.contains { $0.0 == fault.fault && $0.1 == fault.place } }
    }

    /// Why something cannot go wrong there; nil for what can.
    static func outage(of fault: Fault, at place: Place, _ way: Way) -> String? {
        switch (place, fault) {
        case (.discovery, _): "a sign-in never reads it: issuer and addresses are pinned"
        case (.revocation, _): "a sign-in revokes nothing"
        case (_, .moody): "it is trouble or a broken connection, by chance, and both are here"
        case (.browser, _) where way == .codeAlone: "the app hands over no token"
        case (.browser, _) where !place.faults.contains(fault): "until Apple answers the person, nothing comes here"
        case (.keys, .badRequest), (.keys, .unknownClient): "a public file is refused to nobody"
        case (.keys, _) where !place.faults.contains(fault): "the set holds no token"
        default: nil
        }
    }
}

@Suite struct `The table of Apple's faults` {
    @Test(arguments: FaultCase.Way.allCases)
    func `has each fault at each place once, or a reason why it cannot be there`(_ way: FaultCase.Way) {
        for place in Place.allCases {
            for fault in Fault.allCases {
                let count = FaultCase.all(way).count { $0.place == place && $0.fault == fault }
                let isOutage = FaultCase.outage(of: fault, at: place, way) != nil
                #expect(count == (isOutage ? 0 : 1), "\(fault) at \(place)")
                #expect(isOutage || place.faults.contains(fault), "the simulator cannot do \(fault) at \(place)")
            }
        }
    }
}
