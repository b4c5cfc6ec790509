import Audit
import AuthEngine
import Bytes
import Domain

// A trial is a sign-in of the team's own making; the log says so.
extension AuditEvent {
    static func trialStarted(_ trial: Trial, by actor: Actor, from origin: Origin) -> AuditEvent {
        AuditEvent(
            "trial.started",
            by: actor,
            on: Target("service_id", trial.serviceID.rawValue),
            from: origin,
            after: [
                "trial": .string(trial.id.rawValue),
                "scope": .string(TrialRequest.scope(trial.scope)),
                "response_mode": .string(trial.responseMode.rawValue),
            ]
        )
    }

    static func trialCompleted(
        _ trial: Trial,
        _ outcome: TrialRecord.Outcome,
        by actor: Actor,
        from origin: Origin
    ) -> AuditEvent {
        AuditEvent(
            "trial.completed",
            by: actor,
            on: Target("service_id", trial.serviceID.rawValue),
            from: origin,
            after: ["trial": .string(trial.id.rawValue), "outcome": .string(outcome.rawValue)],
            outcome: outcome == .completed ? .succeeded : .refused
        )
    }
}
