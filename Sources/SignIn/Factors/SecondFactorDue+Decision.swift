import AuthEngine
import Directory

extension SecondFactorDue {
    /// What an attempt keeps of a decision.
    init(_ decision: FactorDecision) {
        switch decision {
        case .none: self = .nothing
        case .ask: self = .proof
        case .mustEnrol: self = .enrolment
        }
    }
}
