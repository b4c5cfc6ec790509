import Directory
import OAuth

extension SecondFactorDue {
    /// Creates the value that an interaction stores for a decision.
    init(_ decision: FactorDecision) {
        switch decision {
        case .none: self = .nothing
        case .ask: self = .proof
        case .mustEnrol: self = .enrolment
        }
    }
}
