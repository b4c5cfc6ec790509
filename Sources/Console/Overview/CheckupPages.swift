import Accounts
import Core
import HTTP
import Platform
import SignIn
import Templates

/// Handlers of a team's check-up, which runs on request and whose result is shown but not stored.
struct CheckupPages: ConsolePages {
    static let checkup = Route("/console/:team/checkup", TeamID.self)

    let parts: Console.Parts

    private var installation: InstallationCheckup {
        InstallationCheckup(
            server, apple: parts.apple, client: parts.client,
            mail: MailServerCheck(parts.mail.route, parts.mail.client), certificateFile: parts.certificateFile,
            lacksProxy: parts.lacksProxy)
    }

    private var team: TeamCheckup {
        TeamCheckup(database, server: server, apple: parts.apple, checks: parts.checks, client: parts.client)
    }

    func mount(on router: inout ConsoleRouter) {
        router.get(Self.checkup, needs: .read, at: .checkup) { $0.site.respond(view($0)) }
        router.post(Self.checkup, needs: .changeRegistry, at: .checkup) { context, _ in try await run(context) }
    }

    /// Runs the check-up.
    ///
    /// It counts as one probe, and one for each connection that it tests.
    private func run(_ context: TeamContext) async throws -> Response {
        let probes = 1 + (try await team.connectionTests(in: context.teamID))
        try await count(.probes, probes, in: context.teamID)
        let found = try await team.run(context.team, by: context.actor, from: context.origin)
        let around = await installation.run(
            needsApple: try await team.needsApple([context.teamID]), for: context.account.isOperator ? .operator : .team
        )
        return context.site.respond(view(context, found + around))
    }

    private func view(_ context: TeamContext, _ findings: [Finding] = []) -> CheckupPage {
        CheckupPage(
            frame: context.frame(Message("console.checkup.title")),
            runURL: context.may(.changeRegistry) ? Self.checkup.link(context.teamID) : nil, findings: findings)
    }

    static var views: [any View.Type] { [CheckupPage.self] }
}

/// Page with the findings of a check-up, the worst verdict first.
struct CheckupPage: FramedPage {
    static let template = "console/checkup"
    static let fields = frameFields.with {
        $0.optionalText("runURL") { $0.runURL }
        $0.optionalWords("summary") { $0.summary }
        $0.list("groups", Group.fields) { $0.groups }
    }

    /// Findings with the same verdict.
    struct Group: Sendable {
        let verdict: Finding.Verdict
        let findings: [Finding]

        static let fields = Fields<Group> {
            $0.text("id") { $0.verdict.rawValue }
            $0.words("heading") { $0.verdict.heading }
            $0.list("findings", Finding.fields) { $0.findings }
        }
    }

    let frame: ConsoleFrame
    let runURL: String?
    /// Findings of the check-up; empty before it ran.
    let findings: [Finding]

    private var groups: [Group] {
        [Finding.Verdict.wrong, .note, .good].compactMap { verdict in
            let found = findings.filter { $0.verdict == verdict }
            return found.isEmpty ? nil : Group(verdict: verdict, findings: found)
        }
    }

    private var summary: Message? {
        if findings.isEmpty { return nil }
        let wrong = findings.count { $0.verdict == .wrong }
        return wrong == 0 ? Message("console.checkup.fine") : Message("console.checkup.wrong-count", count: wrong)
    }
}

extension Finding {
    fileprivate static let fields = Fields<Finding> {
        $0.words("subject") { $0.subject }
        $0.words("message") { $0.message }
        $0.group("badge", BadgeView.fields) { $0.verdict.badge }
        $0.list("advice", Fields<LocalizedText> { $0.words("text") { $0 } }) { $0.advice }
    }
}

extension Finding.Verdict {
    fileprivate var heading: Message { Message(in: "console.checkup.heading", rawValue) }

    fileprivate var badge: BadgeView { BadgeView(self, in: "console.checkup.verdict", good: [.good], bad: [.wrong]) }
}
