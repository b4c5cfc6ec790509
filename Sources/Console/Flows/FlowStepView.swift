import AuthEngine
import Bytes
import Domain
import Templates
import Web

/// One step on the page of a flow.
struct FlowStepView: Sendable {
    let step: FlowStep
    /// Since the flow began.
    let offset: Duration
    /// Whether a stand-in is in Apple's place.
    var hasStandIn = false

    private var kind: BadgeView.Kind {
        switch step.kind {
        case .authorizationRefused, .attemptOver, .tokenRefused, .revocationRefused, .requestRefused,
            .providerFailed:
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

    /// `+1.2 s`, or minutes for what takes longer.
    private var elapsed: Phrase {
        let tenths =
            Int(offset.components.seconds) * 10 + Int(offset.components.attoseconds / 100_000_000_000_000_000)
        if tenths < 1200 {
            return Phrase("console.flows.after-seconds", ["seconds": "\(tenths / 10).\(tenths % 10)"])
        }
        return Phrase("console.flows.after-minutes", count: tenths / 600)
    }

    private var tables: [Table] {
        [
            Table(title: sentTitle, facts: step.sent),
            Table(title: Phrase("console.flows.known"), facts: step.known),
            Table(title: answeredTitle, facts: step.answered),
        ]
        .filter { !$0.facts.isEmpty }
    }

    /// At a provider it is Pippin that asks, unless the browser brought what is not good.
    private var sentTitle: Phrase {
        switch step.kind {
        case .sentToProvider: providerTitle
        case .providerFailed:
            step.sent.contains { $0.name == "endpoint" } ? providerTitle : Phrase("console.flows.brought")
        default: Phrase("console.flows.sent")
        }
    }

    private var providerTitle: Phrase {
        hasStandIn ? Phrase("console.flows.sent-to-stand-in") : Phrase("console.flows.sent-to-apple")
    }

    private var answeredTitle: Phrase {
        guard step.kind == .providerFailed else { return Phrase("console.flows.answered") }
        return hasStandIn
            ? Phrase("console.flows.stand-in-answered") : Phrase("console.flows.apple-answered")
    }

    static let fields = Fields<FlowStepView>()
        .text("kind") { $0.kind.rawValue }
        .text("icon") { $0.icon }
        .words("title") { Phrase(in: "console.flow-steps", $0.step.kind.rawValue) }
        .optionalWords("cause") { view in view.step.cause.map { Phrase(in: "console.causes", $0.rawValue) } }
        .optionalText("reason") { $0.step.reason }
        .words("elapsed") { $0.elapsed }
        .group("time", TimeView.fields) { TimeView($0.step.at) }
        .optionalText("ip") { $0.step.origin.ip.isEmpty ? nil : $0.step.origin.ip }
        .optionalWords("agent") { view in
            view.step.origin.userAgent.isEmpty ? nil : BrowserName.words(for: view.step.origin.userAgent)
        }
        .optionalText("request") { $0.step.origin.requestID.isEmpty ? nil : $0.step.origin.requestID }
        .list("tables", Table.fields) { $0.tables }

    /// Names and values of one kind.
    struct Table: Sendable {
        let title: Phrase
        let facts: [FlowFact]

        static let fields = Fields<Table>()
            .words("title") { $0.title }
            .list("rows", Row.fields) { $0.facts.map { Row(fact: $0) } }
    }

    /// One of them; names of the protocol are code, names of ours are words.
    struct Row: Sendable {
        let fact: FlowFact

        private static let own: Set<String> = [
            "registered", "nearest", "differences", "now", "proof", "endpoint", "status", "fault",
        ]

        private var value: any Wording {
            switch fact.name {
            case "differences":
                fact.value.split(separator: " ").map { Phrase(in: "console.flow-differences", String($0)) }
            case "proof": Phrase(in: "console.flow-proofs", fact.value)
            default: fact.value
            }
        }

        static let fields = Fields<Row>()
            .optionalText("code") { Row.own.contains($0.fact.name) ? nil : $0.fact.name }
            .words("name") { Phrase(in: "console.flow-facts", $0.fact.name) }
            .words("value") { $0.value }
    }
}
