import AuthEngine
import Bytes
import Directory
import Doctor
import Domain
import HTTP
import Registry
import Templates
import Web

/// The team's check-up: run on demand, shown at once, kept nowhere.
struct CheckupPages: Sendable {
    static let checkup = Route("/console/:team/checkup", TeamID.self)

    private let installation: InstallationCheckup
    private let team: TeamCheckup
    private let limit: ConnectionTestLimit
    private let checkLimit: RegistryCheckLimit
    private let context: EngineContext
    private let page: LivePage<CheckupPage>

    /// - Throws: `Diagnostics`, when the template does not fit.
    init(_ parts: Console.Parts) throws(Diagnostics) {
        context = parts.context
        limit = ConnectionTestLimit(LimitStore(parts.database))
        checkLimit = RegistryCheckLimit(LimitStore(parts.database))
        installation = InstallationCheckup(
            parts.context,
            apple: parts.apple,
            client: parts.client,
            certificateFile: parts.certificateFile,
            lacksProxy: parts.lacksProxy
        )
        team = TeamCheckup(
            parts.database,
            context: parts.context,
            apple: parts.apple,
            checks: parts.checks,
            client: parts.client
        )
        page = try parts.site.pages.page(CheckupPage.self)
    }

    func mount(on router: inout ConsoleRouter) {
        router.get(Self.checkup, needs: .read, at: .checkup) { $0.site.respond(page, view($0)) }
        router.post(Self.checkup, needs: .changeRegistry, at: .checkup) { scope, _ in
            try await run(scope)
        }
    }

    /// A check-up asks Apple what tests of connections ask, and the team's own servers what their checks ask.
    private func run(_ scope: Scope) async throws -> Response {
        let (member, now) = (scope.account.subject, context.clock())
        if let wait = try await checkLimit.charge(.checkup, by: member, of: scope.teamID, at: now) {
            return refuse(scope, Phrase.checksLimited(for: wait), wait)
        }
        let tests = try await team.connectionTests(in: scope.teamID)
        if let wait = try await limit.charge(tests, by: member, of: scope.teamID, at: now) {
            return refuse(scope, Phrase.appleTestLimited(for: wait), wait)
        }
        let found = try await team.run(scope.team, by: scope.actor, from: scope.origin)
        let around = await installation.run(
            needsApple: try await team.needsApple([scope.teamID]),
            for: scope.account.isOperator ? .operator : .team
        )
        return scope.site.respond(page, view(scope, found + around))
    }

    private func refuse(_ scope: Scope, _ error: Phrase, _ wait: Duration) -> Response {
        scope.site.respond(page, view(scope, error: error), after: wait)
    }

    private func view(_ scope: Scope, _ findings: [Finding] = [], error: Phrase? = nil) -> CheckupPage {
        CheckupPage(
            frame: scope.frame(Phrase("console.doctor.title")),
            runURL: scope.may(.changeRegistry) ? Self.checkup.link(scope.teamID) : nil,
            error: error,
            findings: findings
        )
    }

    static var views: [any View.Type] { [CheckupPage.self] }
}

/// What a check-up found, what is wrong first.
struct CheckupPage: ConsolePage {
    static let template = "console/checkup"
    static let fields =
        frameFields
        .optionalText("runURL") { $0.runURL }
        .optionalWords("error") { $0.error }
        .optionalWords("summary") { $0.summary }
        .list("groups", Group.fields) { $0.groups }

    /// Findings of one verdict.
    struct Group: Sendable {
        let verdict: Finding.Verdict
        let findings: [Finding]

        static let fields = Fields<Group>()
            .text("id") { $0.verdict.rawValue }
            .words("heading") { $0.verdict.heading }
            .list("findings", FindingRow.fields) { $0.findings.map(FindingRow.init) }
    }

    let frame: ConsoleFrame
    let runURL: String?
    /// Why it was not run: it was asked for too early.
    let error: Phrase?
    /// None before it was run.
    let findings: [Finding]

    private var groups: [Group] {
        [Finding.Verdict.wrong, .note, .good].compactMap { verdict in
            let found = findings.filter { $0.verdict == verdict }
            return found.isEmpty ? nil : Group(verdict: verdict, findings: found)
        }
    }

    private var summary: Phrase? {
        if findings.isEmpty { return nil }
        let wrong = findings.count { $0.verdict == .wrong }
        return wrong == 0 ? Phrase("console.doctor.fine") : Phrase("console.doctor.wrong-count", count: wrong)
    }
}

/// One finding.
struct FindingRow: Sendable {
    let finding: Finding

    static let fields = Fields<FindingRow>()
        .words("subject") { $0.finding.subject }
        .words("message") { $0.finding.message }
        .group("badge", BadgeView.fields) { $0.finding.verdict.badge }
        .list("advice", Fields<Words>().words("text") { $0 }) { $0.finding.advice }
}

extension Finding.Verdict {
    fileprivate var heading: Phrase {
        switch self {
        case .wrong: Phrase("console.doctor.heading.wrong")
        case .note: Phrase("console.doctor.heading.note")
        case .good: Phrase("console.doctor.heading.good")
        }
    }

    fileprivate var badge: BadgeView {
        switch self {
        case .wrong: BadgeView(.bad, Phrase("console.doctor.verdict.wrong"))
        case .note: BadgeView(.plain, Phrase("console.doctor.verdict.note"))
        case .good: BadgeView(.good, Phrase("console.doctor.verdict.good"))
        }
    }
}
