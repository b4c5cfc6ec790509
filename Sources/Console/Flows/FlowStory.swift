import AuthEngine
import Bytes
import Domain
import HTTP
import Web

/// A flow as its page tells it.
struct FlowStory: Sendable {
    let flow: Flow
    let team: TeamSnapshot
    let badge: BadgeView
    let steps: [FlowStepView]
    /// Of the last step that went wrong, when the flow failed.
    let diagnosis: FlowDiagnosis?
    /// Whether the app has had its code for a while and never asked for the tokens: what is wrong happens there.
    let isForgotten: Bool

    /// Servers redeem a code within a second.
    private static let patience = Duration.seconds(60)

    /// - Parameter standIn: the page of what is in Apple's place, where something is.
    init(
        _ flow: Flow,
        _ steps: [FlowStep],
        of team: TeamSnapshot,
        at now: Timestamp,
        standIn: String? = nil
    ) {
        self.flow = flow
        self.team = team
        badge = FlowStanding.badge(of: flow, at: now)
        let start = steps.first?.at ?? flow.id.startedAt
        self.steps = steps.map {
            FlowStepView(step: $0, offset: $0.at - start, hasStandIn: standIn != nil)
        }
        let answeredAt = steps.last { $0.kind == .answered }?.at
        isForgotten =
            flow.outcome == .answered && !flow.isRedeemed
            && answeredAt.map { now - $0 > Self.patience } == true
        let reason = steps.last { $0.cause == flow.cause && $0.cause != nil }
        let fault = steps.last { $0.cause == flow.cause && $0.kind == .providerFailed }?
            .answered.first { $0.name == "fault" }?.value
        diagnosis =
            flow.outcome == .failed
            ? reason.map { FlowDiagnosis(of: $0, flow, in: team, fault: fault, standIn: standIn) } : nil
    }

    var headline: any Wording {
        guard let client = flow.clientID else { return Phrase("console.flows.one.unknown") }
        let name = team.client(client)?.name ?? client.rawValue
        return Phrase("console.flows.one.to", ["app": name])
    }

    /// The page of the app, where it is one of the team's.
    var clientURL: String? {
        guard let client = flow.clientID, team.client(client) != nil else { return nil }
        return team.isServiceID(client)
            ? ConsoleRoutes.serviceID.link(team.id, client) : ConsoleRoutes.appID.link(team.id, client)
    }
}
