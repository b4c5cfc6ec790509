import Bytes
import Domain
import Localization
import OAuth
import Templates
import Web

/// An event on the page of a sign-in trace.
struct TraceEventView: Sendable {
    let step: TraceEvent
    /// Time since the start of the trace.
    let offset: Duration
    /// Whether the Apple simulator is used instead of Apple.
    var hasStandIn = false

    private var kind: BadgeView.Kind {
        switch step.kind {
        case .authorizationRefused, .interactionExpired, .tokenRefused, .revocationRefused, .requestRefused,
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
        case .providerFailed:
            step.sent.contains { $0.name == "endpoint" } ? providerTitle : Message("console.traces.brought")
        default: Message("console.traces.sent")
        }
    }

    private var providerTitle: Message {
        hasStandIn ? Message("console.traces.sent-to-stand-in") : Message("console.traces.sent-to-apple")
    }

    private var answeredTitle: Message {
        guard step.kind == .providerFailed else { return Message("console.traces.answered") }
        return hasStandIn ? Message("console.traces.stand-in-answered") : Message("console.traces.apple-answered")
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
            "registered", "nearest", "differences", "issuer", "now", "proof", "endpoint", "status", "fault",
        ]

        private var value: any LocalizedTextConvertible {
            switch fact.name {
            case "differences":
                fact.value.split(separator: " ").map { Message(in: "console.trace-differences", String($0)) }
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
