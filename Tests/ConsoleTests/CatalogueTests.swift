import Accounts
import Core
import Federation
import OAuth
import Platform
import Registry
import SignIn
import Simulator
import Templates
import Testing

@testable import Console

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
        let families = Self.sources.flatMap(MessageScan.families)
        let known = texts.keys(in: .english)
        let single = known.filter { key in !families.contains { key.hasPrefix($0 + ".") } }

        #expect(messages.count > 10, "the scan finds no messages any more")
        #expect(templates.textKeys.union(messages).subtracting(known).sorted() == [])
        #expect(single.subtracting(templates.textKeys).subtracting(messages).sorted() == [])
    }

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

    @Test func `name every value that pages show`() throws {
        let texts = try Translations(folder: repository + "/Texts").keys(in: .english)
        let settings: [(String, [String])] = [
            ("second-factor", SecondFactor.allCases.map(\.rawValue)),
            ("registration", Registration.allCases.map(\.rawValue)), ("sources", SourceChoice.allCases.map(\.rawValue)),
        ]
        let shown: [(String, [String])] = [
            ("console.members.reach", [Role.owner, .admin, .developer, .auditor].map(\.rawValue)),
            ("console.notifications.state", NotificationState.allCases.map(\.rawValue)),
            ("console.notifications.problem", DeliveryAttempt.Problem.allCases.map(\.rawValue)),
            ("console.operator.jobs.state", JobSummary.State.allCases.map(\.rawValue)),
            ("console.apple-tokens.problem", UpstreamTokenProblem.allCases.map(\.rawValue)),
            ("console.apple-tokens.advice", UpstreamTokenProblem.allCases.map(\.rawValue)),
            ("console.checkup.heading", Finding.Verdict.allCases.map(\.rawValue)),
            (
                "console.operator.drift.document",
                WatchedDocument.Name.allCases.flatMap { [$0.rawValue, $0.rawValue + ".about"] }
            ), ("console.user-invitations.policy", Registration.allCases.map(\.rawValue)),
        ]
        let families = shown + settings.map { ("console.settings." + $0, $1.flatMap { [$0, $0 + ".hint"] }) }

        #expect(
            families.flatMap { family, names in names.map { "\(family).\($0)" } }.filter { !texts.contains($0) } == [])
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
