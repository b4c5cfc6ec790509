import Bytes
import Localization
import Registry
import Templates
import Web

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
