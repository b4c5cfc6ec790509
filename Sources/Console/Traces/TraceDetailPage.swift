import Accounts
import Core
import HTTP
import OAuth
import Platform
import SignIn
import Templates

/// A sign-in trace step by step, with a diagnosis if it failed.
struct TraceDetailPage: FramedPage {
    static let template = "console/traces/show"
    static let fields = frameFields.with {
        $0.words("headline") { $0.narrative.headline }
        $0.list("badges", BadgeView.fields) { $0.narrative.badges }
        $0.group("started", TimeView.fields) { TimeView($0.narrative.trace.id.startedAt) }
        $0.flag("isTest") { $0.narrative.trace.isTest }
        $0.group("reference", CopyView.fields) { CopyView(Message("console.traces.reference"), $0.reference) }
        $0.optionalText("client") { $0.narrative.trace.clientID?.rawValue }
        $0.optionalText("clientURL") { $0.narrative.clientURL }
        $0.optionalText("person") { $0.person }
        $0.optionalText("personURL") { page in
            page.narrative.trace.subject.map { ConsoleRoutes.user.link(page.narrative.team.id, $0) }
        }
        $0.optionalGroup("diagnosis", TraceDiagnosis.fields) { $0.narrative.diagnosis }
        $0.flag("forgotten") { $0.narrative.isForgotten }
        $0.list("steps", TraceEventView.fields) { $0.narrative.steps }
    }

    let frame: ConsoleFrame
    let narrative: TraceNarrative
    let person: String?

    /// The reference shown on an error page, else the trace's id, so that every sign-in has a reference.
    private var reference: String { narrative.trace.reference ?? narrative.trace.id.rawValue }
}

/// Content of the page of a sign-in trace.
struct TraceNarrative: Sendable {
    let trace: SignInTrace
    let team: TeamSnapshot
    let badges: [BadgeView]
    let steps: [TraceEventView]
    /// Diagnosis of the last failed step; nil if the sign-in did not fail.
    let diagnosis: TraceDiagnosis?
    /// Whether the app got its code more than `timeout` ago and did not redeem it, so that the error is in the app.
    let isForgotten: Bool

    /// Time an app has to redeem its code before the page warns; servers do it within a second.
    private static let timeout = Duration.seconds(60)

    /// - Parameter simulator: URL of the Apple simulator's page; nil without a simulator.
    init(
        _ trace: SignInTrace, _ steps: [TraceEvent], of team: TeamSnapshot, at now: Timestamp, simulator: String? = nil
    ) {
        self.trace = trace
        self.team = team
        badges = TraceStatus.badges(of: trace, at: now)
        let start = steps.first?.at ?? trace.id.startedAt
        self.steps = steps.map { TraceEventView(step: $0, offset: $0.at - start, hasSimulator: simulator != nil) }
        let answeredAt = steps.last { $0.kind == .answered }?.at
        isForgotten =
            trace.outcome == .answered && !trace.isRedeemed && answeredAt.map { now - $0 > Self.timeout } == true
        let reason = steps.last { $0.cause == trace.cause && $0.cause != nil }
        let fault = steps.last { $0.cause == trace.cause && $0.kind == .upstreamFailed }?.answered.first {
            $0.name == "fault"
        }?.value
        diagnosis =
            trace.outcome == .failed
            ? reason.map { TraceDiagnosis(of: $0, trace, in: team, fault: fault, simulator: simulator) } : nil
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

/// An event on the page of a sign-in trace.
struct TraceEventView: Sendable {
    let step: TraceEvent
    /// Time since the start of the trace.
    let offset: Duration
    /// Whether the Apple simulator is used instead of Apple.
    var hasSimulator = false

    private var kind: BadgeView.Kind {
        switch step.kind {
        case .authorizationRefused, .interactionExpired, .tokenRefused, .revocationRefused, .requestRefused,
            .upstreamFailed:
            .bad
        case .proofRefused: .warn
        case .codeRedeemed, .handedOver, .answered: .good
        case .authorization, .sentToProvider, .proved, .cancelled: .plain
        }
    }

    private var icon: String {
        switch kind {
        case .bad, .warn: "close"
        case .good: "check"
        case .plain: "circle"
        }
    }

    /// Offset such as `+1.2 s`, in minutes from two minutes on.
    private var elapsed: Message {
        let tenths = Int(offset.components.seconds) * 10 + Int(offset.components.attoseconds / 100_000_000_000_000_000)
        if tenths < 1200 {
            return Message("console.traces.after-seconds", ["seconds": "\(tenths / 10).\(tenths % 10)"])
        }
        return Message("console.traces.after-minutes", count: tenths / 600)
    }

    private var tables: [Table] {
        [
            Table(title: sentTitle, facts: step.sent), Table(title: Message("console.traces.known"), facts: step.known),
            Table(title: answeredTitle, facts: step.answered),
        ].filter { !$0.facts.isEmpty }
    }

    /// Heading of the sent values: for upstream events Pippin's request, or the invalid response from the browser.
    private var sentTitle: Message {
        switch step.kind {
        case .sentToProvider: providerTitle
        case .upstreamFailed:
            step.sent.contains { $0.name == "endpoint" } ? providerTitle : Message("console.traces.brought")
        default: Message("console.traces.sent")
        }
    }

    private var providerTitle: Message {
        hasSimulator ? Message("console.traces.sent-to-simulator") : Message("console.traces.sent-to-apple")
    }

    private var answeredTitle: Message {
        guard step.kind == .upstreamFailed else { return Message("console.traces.answered") }
        return hasSimulator ? Message("console.traces.simulator-answered") : Message("console.traces.apple-answered")
    }

    static let fields = Fields<TraceEventView> {
        $0.text("kind") { $0.kind.rawValue }
        $0.text("icon") { $0.icon }
        $0.words("title") { Message(in: "console.trace-events", $0.step.kind.rawValue) }
        $0.optionalWords("cause") { view in view.step.cause.map { Message(in: "console.causes", $0.rawValue) } }
        $0.optionalText("reason") { $0.step.reason }
        $0.words("elapsed") { $0.elapsed }
        $0.group("time", TimeView.fields) { TimeView($0.step.at) }
        $0.optionalText("ip") { $0.step.origin.ip.isEmpty ? nil : $0.step.origin.ip }
        $0.optionalWords("agent") { view in
            view.step.origin.userAgent.isEmpty ? nil : BrowserName(userAgent: view.step.origin.userAgent)
        }
        $0.optionalText("request") { $0.step.origin.requestID.isEmpty ? nil : $0.step.origin.requestID }
        $0.list("tables", Table.fields) { $0.tables }
    }

    /// Attributes of one kind: sent, known or received.
    struct Table: Sendable {
        let title: Message
        let facts: [TraceAttribute]

        static let fields = Fields<Table> {
            $0.words("title") { $0.title }
            $0.list("rows", Row.fields) { $0.facts.map { Row(fact: $0) } }
        }
    }

    /// An attribute; protocol names are shown as code, Pippin's own names as localized text.
    struct Row: Sendable {
        let fact: TraceAttribute

        private static let own: Set<String> = [
            "registered", "nearest", "differences", "link", "issuer", "now", "proof", "endpoint", "status", "fault",
        ]

        private var value: any LocalizedTextConvertible {
            switch fact.name {
            case "differences":
                fact.value.split(separator: " ").map { Message(in: "console.trace-differences", String($0)) }
            case "link": Message(in: "console.trace-links", fact.value)
            case "proof": Message(in: "console.trace-proofs", fact.value)
            default: fact.value
            }
        }

        static let fields = Fields<Row> {
            $0.optionalText("code") { Row.own.contains($0.fact.name) ? nil : $0.fact.name }
            $0.words("name") { Message(in: "console.trace-attributes", $0.fact.name) }
            $0.words("value") { $0.value }
        }
    }
}
