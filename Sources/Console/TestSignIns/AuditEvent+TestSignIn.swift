import Audit
import Bytes
import Domain
import OAuth

// Audit events of test sign-ins, which mark these sign-ins as run by the team itself.
extension AuditEvent {
    static func testSignInStarted(_ testSignIn: TestSignIn, by actor: Actor, from origin: Origin) -> AuditEvent {
        AuditEvent(
            "test_sign_in.started", by: actor, on: Target("service_id", testSignIn.serviceID.rawValue), from: origin,
            after: [
                "trial": .string(testSignIn.id.rawValue), "scope": .string(TestSignInRequest.scope(testSignIn.scope)),
                "response_mode": .string(testSignIn.responseMode.rawValue),
            ])
    }

    static func testSignInCompleted(
        _ testSignIn: TestSignIn, _ outcome: TestSignInRecord.Outcome, by actor: Actor, from origin: Origin
    ) -> AuditEvent {
        AuditEvent(
            "test_sign_in.completed", by: actor, on: Target("service_id", testSignIn.serviceID.rawValue), from: origin,
            after: ["trial": .string(testSignIn.id.rawValue), "outcome": .string(outcome.rawValue)],
            outcome: outcome == .completed ? .succeeded : .refused)
    }
}
