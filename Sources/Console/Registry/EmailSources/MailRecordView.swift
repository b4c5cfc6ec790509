import Bytes
import Registry
import Templates
import Web

/// One record as a page shows it.
struct MailRecordView: Sendable {
    let record: MailRecord

    static let fields = Fields<MailRecordView>()
        .text("id") { $0.record.name.replacing(".", with: "-") + "-\($0.record.kind.rawValue)" }
        .words("heading") { $0.heading }
        .group("state", BadgeView.fields) { $0.record.state.badge }
        .words("explanation") { $0.explanation }
        .group("place", CopyView.fields) {
            CopyView(Phrase("console.email-sources.record.name"), $0.record.name)
        }
        .list("seen", seenFields) { $0.record.seen }
        .optionalGroup("advice", CopyView.fields) { view in
            view.record.advice.map { CopyView(Phrase("console.email-sources.record.advice"), $0) }
        }

    private static let seenFields = Fields<String>()
        .text("text") { $0 }

    private var heading: Phrase {
        switch record.kind {
        case .spf: Phrase("console.email-sources.spf")
        case .dkim:
            Phrase(
                "console.email-sources.dkim",
                ["selector": String(record.name.split(separator: "._domainkey.", maxSplits: 1)[0])]
            )
        }
    }

    private var explanation: Phrase {
        switch (record.kind, record.state) {
        case (.spf, .ok): Phrase("console.email-sources.spf.ok")
        case (.dkim, .ok): Phrase("console.email-sources.dkim.ok")
        case (.spf, .missing): Phrase("console.email-sources.spf.missing")
        case (.dkim, .missing): Phrase("console.email-sources.dkim.missing")
        case (_, .pending):
            record.fault == .notAnswered
                ? Phrase("console.email-sources.not-answered") : Phrase("console.email-sources.pending")
        case (_, .wrong): fault
        }
    }

    private var fault: Phrase {
        let detail = record.detail ?? ""
        return switch record.fault {
        case .several:
            record.kind == .spf
                ? Phrase("console.email-sources.spf.several") : Phrase("console.email-sources.dkim.several")
        case .syntax: Phrase("console.email-sources.syntax", ["part": detail])
        case .allowsEveryone: Phrase("console.email-sources.allows-everyone")
        case .version: Phrase("console.email-sources.version")
        case .keyType: Phrase("console.email-sources.key-type", ["type": detail])
        case .key: Phrase("console.email-sources.key")
        case .revoked: Phrase("console.email-sources.revoked")
        case .notAnswered, nil: Phrase("console.email-sources.not-answered")
        }
    }
}
