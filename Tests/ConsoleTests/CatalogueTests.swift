import Accounts
import Core
import Directory
import Federation
import OAuth
import Platform
import Registry
import Simulator
import Templates
import Testing

@testable import Console
@testable import SignIn

/// The texts of the repository, as templates and sources say them.
@Suite struct `The texts of Pippin` {
    private static let sources = SwiftSources.read(below: repository + "/Sources").map(MessageScan.withoutComments)

    @Test func `are there in every language that their pages have`() throws {
        let pages = try Pages(folder: repository + "/Templates", texts: repository + "/Texts", isWatching: false)

        #expect(throws: Never.self) {
            try pages.check(Console.views + SignIn.views + EmailRenderer.views, TextArea.all)
        }
    }

    @Test func `are checked with every page that there is`() {
        let views = Console.views + SignIn.views + Simulator.views + SampleApp.views + EmailRenderer.views
        let templates = Set(Self.sources.flatMap { MessageScan.literals(after: "static let template = ", in: $0) })

        #expect(templates.count > 10, "the scan finds no pages any more")
        #expect(templates.subtracting(views.map { "\($0.template)" }).sorted() == [])
    }

    @Test func `are all said somewhere, and what is said is there`() throws {
        let texts = try Translations(folder: repository + "/Texts")
        let templates = try TemplateSet(folder: repository + "/Templates")
        let messages = Set(Self.sources.flatMap(MessageScan.messages).map(\.key))
        let problems = Self.sources.flatMap(MessageScan.problems)
        let said = Set(
            Self.families.flatMap { family, names in names.map { "\(family).\($0)" } }
                + problems.flatMap { problem in ["headline", "message", "advice"].map { "\(problem).\($0)" } })
        let known = texts.keys(in: .english)
        let declared = Self.declared.reduce(into: Set<String>()) { $0.formUnion(Self.declared($1, known)) }
        let closed = known.filter { key in !Self.open.contains { key.hasPrefix($0 + ".") } }

        #expect(messages.count > 10 && problems.count > 10, "the scan finds no messages any more")
        let all = said.union(declared).union(templates.textKeys).union(messages)
        #expect(all.subtracting(known).sorted() == [])
        #expect(closed.subtracting(all).sorted() == [])
        for key in declared.subtracting(messages) {
            #expect(texts.placeholders(of: key).isSubset(of: ["limit", "number", "base"]) && !texts.hasMarkup(key))
        }
        for key in said { #expect(texts.placeholders(of: key) == [] && !texts.hasMarkup(key), "\(key)") }
    }

    @Test func `of a family are those of its names`() {
        let families = Set(Self.sources.flatMap(MessageScan.families))

        let declared = Self.declared.map { "\($0.words.family)" }
        #expect(families.symmetricDifference(Self.open.union(Self.families.keys).union(declared)).sorted() == [])
    }

    private static let declared: [any DeclaredObject.Type] = [
        ServiceID.self, AppID.self, RegisteredEmailSource.self, AppleKey.self, AppleConnection.self, Team.self,
    ]

    /// The texts of a declared object's settings: those that each needs, and others that are there.
    private static func declared<Object: DeclaredObject>(_: Object.Type, _ known: Set<String>) -> Set<String> {
        var (needed, others) = (Object.identity.map { "\($0).label" }, Object.identity.flatMap(optional))
        for setting in Object.Settings.all {
            needed.append("\(setting.name).label")
            others += optional(setting.name)
            if case .rows = setting.kind { needed.append("\(setting.name).row") }
            let values =
                switch setting.kind {
                case .choice(let values): values
                case .combination(let all): all.map(\.name)
                default: [String]()
                }
            needed += values.map { "\(setting.name).\($0)" }
            others += values.map { "\(setting.name).\($0).hint" }
        }
        let keys = [needed, others].map { names in Set(names.map { "\(Object.words.family).\($0)" }) }
        return keys[0].union(keys[1].intersection(known))
    }

    private static func optional(_ name: String) -> [String] { ["\(name).hint", "\(name).placeholder"] }

    /// Families whose names are told in many places, or from outside; some have a test of their own below.
    private static let open: Set = [
        "console.actions", "console.audit.filter", "console.audit.kind", "console.operator.kinds",
        "console.operator.messages", "console.trace-attributes", "console.trace-differences", "console.trace-proofs",
        "sample.app.claim",
    ]

    /// The names of every other family.
    private static let families: [String: [String]] = [
        "console.apple-tokens.advice": names(UpstreamTokenProblem.self),
        "console.apple-tokens.problem": names(UpstreamTokenProblem.self),
        "console.apple.test": names(AppleConnectionTest.Outcome.self),
        "console.attention": names(TeamAttention.Kind.self), "console.audit.finding": names(AuditFinding.Kind.self),
        "console.audit.outcome": names(AuditEvent.Outcome.self), "console.cause-meanings": names(RefusalCause.self),
        "console.causes": names(RefusalCause.self), "console.checkup.heading": names(Finding.Verdict.self),
        "console.checkup.verdict": names(Finding.Verdict.self),
        "console.email-sources.state": names(MailRecord.State.self), "console.languages": names(Language.self),
        "console.link-advice": names(LinkDamage.self),
        "console.members.reach": names(Role.self).filter { $0 != Role.operator.rawValue },
        "console.notifications.problem": names(DeliveryAttempt.Problem.self),
        "console.notifications.state": names(NotificationState.self),
        "console.operator.drift.document": names(WatchedDocument.Name.self, each: ["", ".about"]),
        "console.operator.jobs.state": names(JobSummary.State.self),
        "console.operator.readiness": names(ReadinessCode.self), "console.roles": names(Role.self),
        "console.settings": names(SettingsPart.self, each: ["", ".about"]),
        "console.settings.mode": names(TeamMode.self, each: ["", ".hint"]),
        "console.signing-keys.state": names(TeamSigningKey.State.self),
        "console.test-sign-ins.outcome": names(TestSignInRecord.Outcome.self, each: ["", ".about"]),
        "console.trace-events": names(TraceEvent.Kind.self), "console.trace-links": names(LinkDamage.self),
        "console.traces.badge": names(TraceStatus.State.self), "console.traces.outcome": names(TraceOutcome.self),
        "console.transfers.refusal": names(TransferRefusal.self).filter { $0 != TransferRefusal.notAllowed.rawValue },
        "console.transfers.state": names(AppTransfer.State.self),
        "console.user-invitations.policy": names(Registration.self),
        "console.users.apple.state": names(LinkedIdentity.State.self), "hosted.account.done": names(AccountChange.self),
        "hosted.factors.prove.with": names(FactorKind.self), "hosted.factors.prove.wrong": names(FactorKind.self),
        "hosted.receipt.fate": names(DeletionReceipt.Token.Fate.self),
        "hosted.receipt.notification": names(NotificationState.self),
    ]

    private static func names<Value: RawRepresentable<String> & CaseIterable>(
        _ type: Value.Type, each endings: [String] = [""]
    ) -> [String] { type.allCases.flatMap { value in endings.map { value.rawValue + $0 } } }

    @Test func `name every action that the audit log may hold`() throws {
        let texts = try Translations(folder: repository + "/Texts")
        let actions = Set(Self.sources.flatMap { MessageScan.literals(after: "AuditEvent(", in: $0) })

        #expect(actions.count > 10, "the scan finds no actions any more")
        #expect(actions.filter { !texts.keys(in: .english).contains("console.actions.\($0)") }.sorted() == [])
    }

    @Test(arguments: [("recurring(", 10), ("static let kind = ", 3)]) func `name every kind of job`(
        _ opening: String, _ least: Int
    ) throws {
        let texts = try Translations(folder: repository + "/Texts").keys(in: .english)
        let names = Set(Self.sources.flatMap { MessageScan.literals(after: opening, in: $0) })

        #expect(names.count > least, "the scan finds none any more")
        #expect(names.filter { !texts.contains("console.operator.kinds.\($0)") }.sorted() == [])
    }

    @Test func `name every message`() throws {
        let texts = try Translations(folder: repository + "/Texts").keys(in: .english)
        let source = try #require(Self.sources.first { $0.contains("\npublic enum EmailMessage:") })
        let names = source.split(separator: "\n").filter { $0.contains("case .") && $0.hasSuffix("\"") }.map {
            String($0.split(separator: "\"")[1])
        }

        #expect(names.count > 5, "the scan finds none any more")
        #expect(names.filter { !texts.contains("console.operator.messages.\($0)") } == [])
    }

    @Test func `get their arguments from the messages in the sources, and have no markup there`() throws {
        let texts = try Translations(folder: repository + "/Texts")

        for message in Self.sources.flatMap(MessageScan.messages) {
            let needed = texts.placeholders(of: message.key)
            #expect(needed.subtracting(message.arguments) == [], "\(message.key)")
            #expect(!texts.hasMarkup(message.key), "\(message.key)")
        }
    }
}
