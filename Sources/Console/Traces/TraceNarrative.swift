import Bytes
import Domain
import HTTP
import Localization
import OAuth
import SignInTrace
import Web

/// Content of the page of a sign-in trace.
struct TraceNarrative: Sendable {
    let trace: SignInTrace
    let team: TeamSnapshot
    let badge: BadgeView
    let steps: [TraceEventView]
    /// Diagnosis of the last failed step; nil if the sign-in did not fail.
    let diagnosis: TraceDiagnosis?
    /// Whether the app got its code more than `timeout` ago and did not redeem it, so that the error is in the app.
    let isForgotten: Bool

    /// Time an app has to redeem its code before the page warns; servers do it within a second.
    private static let timeout = Duration.seconds(60)

    /// - Parameter standIn: URL of the Apple simulator's page; nil without a simulator.
    init(_ trace: SignInTrace, _ steps: [TraceEvent], of team: TeamSnapshot, at now: Timestamp, standIn: String? = nil)
    {
        self.trace = trace
        self.team = team
        badge = TraceStatus.badge(of: trace, at: now)
        let start = steps.first?.at ?? trace.id.startedAt
        self.steps = steps.map { TraceEventView(step: $0, offset: $0.at - start, hasStandIn: standIn != nil) }
        let answeredAt = steps.last { $0.kind == .answered }?.at
        isForgotten =
            trace.outcome == .answered && !trace.isRedeemed && answeredAt.map { now - $0 > Self.timeout } == true
        let reason = steps.last { $0.cause == trace.cause && $0.cause != nil }
        let fault = steps.last { $0.cause == trace.cause && $0.kind == .providerFailed }?.answered.first {
            $0.name == "fault"
        }?.value
        diagnosis =
            trace.outcome == .failed
            ? reason.map { TraceDiagnosis(of: $0, trace, in: team, fault: fault, standIn: standIn) } : nil
    }

    var headline: any LocalizedTextConvertible {
        guard let client = trace.clientID else { return Message("console.traces.one.unknown") }
        let name = team.client(client)?.name ?? client.rawValue
        return Message("console.traces.one.to", ["app": name])
    }

    /// URL of the app's page; nil if the team has no such app.
    var clientURL: String? {
        guard let client = trace.clientID, team.client(client) != nil else { return nil }
        return team.isServiceID(client)
            ? ConsoleRoutes.serviceID.link(team.id, client) : ConsoleRoutes.appID.link(team.id, client)
    }
}
