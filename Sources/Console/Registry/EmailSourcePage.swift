import Core
import HTTP
import Platform
import Registry
import SignIn
import Templates

/// Page of one email source: each DNS record it needs, as found and as it should be.
struct EmailSourcePage: ConsolePage {
    static let template = "console/email-sources/show"
    static let fields = frameFields.with {
        $0.text("name") { $0.source.identity }
        $0.group("state", BadgeView.fields) { $0.source.state.badge }
        $0.optionalGroup("checked", TimeView.fields) { $0.source.checkedAt.map(TimeView.init) }
        $0.optionalText("checkURL") { $0.checkURL }
        $0.list("records", MailRecordView.fields) { $0.source.records.map(MailRecordView.init) }
        $0.flag("hasSelectors") { !$0.source.selectors.isEmpty }
        $0.optionalGroup("editing", FormView.fields) { $0.editing }
        $0.optionalGroup("danger", DangerView.fields) { $0.danger }
    }

    let frame: ConsoleFrame
    let source: RegisteredEmailSource
    let checkURL: String?
    let editing: FormView?
    let danger: DangerView?
}

extension MailRecord.State {
    var badge: BadgeView {
        switch self {
        case .pending: BadgeView(.plain, Message("console.email-sources.state.pending"))
        case .ok: BadgeView(.good, Message("console.email-sources.state.ok"))
        case .missing: BadgeView(.bad, Message("console.email-sources.state.missing"))
        case .wrong: BadgeView(.bad, Message("console.email-sources.state.wrong"))
        }
    }
}

/// A DNS record of an email source, as shown on its page.
struct MailRecordView: Sendable {
    let record: MailRecord

    static let fields = Fields<MailRecordView> {
        $0.text("id") { $0.record.name.replacing(".", with: "-") + "-\($0.record.kind.rawValue)" }
        $0.words("heading") { $0.heading }
        $0.group("state", BadgeView.fields) { $0.record.state.badge }
        $0.words("explanation") { $0.explanation }
        $0.group("place", CopyView.fields) { CopyView(Message("console.email-sources.record.name"), $0.record.name) }
        $0.list("seen", seenFields) { $0.record.seen }
        $0.optionalGroup("advice", CopyView.fields) { view in
            view.record.advice.map { CopyView(Message("console.email-sources.record.advice"), $0) }
        }
    }

    private static let seenFields = Fields<String> { $0.text("text") { $0 } }

    private var heading: Message {
        switch record.kind {
        case .spf: Message("console.email-sources.spf")
        case .dkim:
            Message(
                "console.email-sources.dkim",
                ["selector": String(record.name.split(separator: "._domainkey.", maxSplits: 1)[0])])
        }
    }

    private var explanation: Message {
        switch (record.kind, record.state) {
        case (.spf, .ok): Message("console.email-sources.spf.ok")
        case (.dkim, .ok): Message("console.email-sources.dkim.ok")
        case (.spf, .missing): Message("console.email-sources.spf.missing")
        case (.dkim, .missing): Message("console.email-sources.dkim.missing")
        case (_, .pending):
            record.fault == .notAnswered
                ? Message("console.email-sources.not-answered") : Message("console.email-sources.pending")
        case (_, .wrong): fault
        }
    }

    private var fault: Message {
        let detail = record.detail ?? ""
        return switch record.fault {
        case .several:
            record.kind == .spf
                ? Message("console.email-sources.spf.several") : Message("console.email-sources.dkim.several")
        case .syntax: Message("console.email-sources.syntax", ["part": detail])
        case .allowsEveryone: Message("console.email-sources.allows-everyone")
        case .version: Message("console.email-sources.version")
        case .keyType: Message("console.email-sources.key-type", ["type": detail])
        case .key: Message("console.email-sources.key")
        case .revoked: Message("console.email-sources.revoked")
        case .notAnswered, nil: Message("console.email-sources.not-answered")
        }
    }
}
