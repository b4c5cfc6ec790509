import Accounts
import Core
import EventLoop
import HTTP
import Platform
import Registry
import Templates

/// `pippin doctor`.
struct DoctorCommand {
    /// Exit status where nothing could be looked at: wrong arguments, a `--team` that does not exist, no installation.
    private static let blind = ExitStatus(code: 2)
    private static let pageSize = 50

    let settings: Settings
    /// Team ID to check; nil for all teams.
    let team: String?

    /// - Throws: `CommandFailure` with status 2, because status 1 means that the check-up found something wrong.
    static func parse(_ options: inout Options) throws(CommandFailure) -> Command {
        let team = options.argument("team")
        do { return .doctor(try options.settings(operands: 0).settings, team: team) } catch {
            throw CommandFailure(error.lines, status: blind)
        }
    }

    func run() throws(CommandFailure) -> ExitStatus {
        var id: TeamID?
        if let team {
            guard let known = TeamID(rawValue: team), known != .system else {
                throw CommandFailure("\(team) is not a Team ID: 10 characters A-Z and 0-9", status: Self.blind)
            }
            id = known
        }
        do throws(CommandFailure) {
            let texts = try texts()
            return try ServerProcess.run(settings) { process throws(CommandFailure) in
                report(try check(in: process, id), texts)
            }
        } catch { throw CommandFailure(error.lines, status: Self.blind) }
    }

    private func texts() throws(CommandFailure) -> Translations {
        do { return try Translations(folder: settings.resources.texts) } catch {
            throw CommandFailure(error.all.map(\.description))
        }
    }

    /// The findings of the installation, then those of each team, each under a heading.
    private func check(in process: ServerProcess, _ id: TeamID?) throws(CommandFailure) -> [Section] {
        let (worker, server, allowsLoopback) = (process.loopServices[0], process.server, settings.allowsLoopback)
        let (lacksProxy, proxy) = (settings.lacksTrustedProxy, settings.outgoingProxy?.address)
        let (file, mail) = (
            settings.certificateFile(), MailServerCheck(settings.mail, MailClient(threads: process.pools.mail))
        )
        let (readiness, subjects) = (process.readiness, process.subjects("doctor"))
        do {
            return try worker.loop.wait {
                let teams = try await Self.teams(id, worker)
                let installation = InstallationCheckup(
                    server, apple: worker.apple, client: worker.outgoing.installation, mail: mail,
                    certificateFile: file, lacksProxy: lacksProxy, outgoingProxy: proxy)
                let checkup = TeamCheckup(
                    worker.database, server: server, apple: worker.apple,
                    checks: worker.checks(allowsLoopback: allowsLoopback), client: worker.outgoing.installation)
                let around = await installation.run(
                    needsApple: try await checkup.needsApple(teams.map(\.id)), for: .operator)
                let findings = await Self.readiness(in: readiness, subjects) + around
                var sections = [Section(heading: server.publicURL, findings: findings)]
                for team in teams {
                    let findings = try await checkup.run(team, by: .command("doctor"), from: .local)
                    let heading = "team \(team.id) \"\(team.settings.name.rawValue)\""
                    sections.append(Section(heading: heading, findings: findings))
                }
                return sections
            }
        } catch let failure as CommandFailure { throw failure } catch {
            throw CommandFailure("the check-up failed: \(describing: error)")
        }
    }

    /// What would keep a server from serving, or may soon, as the server itself would judge.
    private static func readiness(in readiness: Readiness, _ subjects: Readiness.Subjects) async -> [Finding] {
        await readiness.lookOnce(subjects)
        let subject = Message("console.checkup.readiness")
        let findings = readiness.codes.map { code in
            let message = Message("console.checkup.readiness.condition", ["code": code.rawValue])
            return Finding(.wrong, subject, message, advice: [code.advice])
        }
        return findings.isEmpty ? [Finding(.good, subject, Message("console.checkup.readiness.ready"))] : findings
    }

    private static func teams(_ id: TeamID?, _ worker: LoopServices) async throws -> [Team] {
        if let id {
            guard let team = try await TeamStore(worker.database).find(id) else {
                throw CommandFailure("there is no team \(id)", status: blind)
            }
            return [team]
        }
        let store = TeamListStore(SystemDatabase(worker.system))
        var (teams, cursor): ([Team], ListCursor?) = ([], nil)
        repeat {
            let page = try await store.page(matching: "", after: cursor, limit: pageSize)
            teams += page.items.filter { $0.closedAt == nil }
            cursor = page.next
        } while cursor != nil
        return teams
    }

    private struct Section: Sendable {
        let heading: String
        let findings: [Finding]
    }

    private func report(_ sections: [Section], _ texts: Translations) -> ExitStatus {
        for section in sections {
            Terminal.say(section.heading)
            for finding in section.findings {
                let subject = texts.text(finding.subject)
                Terminal.say("  \(Self.mark(finding.verdict))  \(subject): \(texts.text(finding.message))")
                for advice in finding.advice { Terminal.say("           - \(texts.text(advice))") }
            }
        }
        let wrong = sections.flatMap(\.findings).count { $0.verdict == .wrong }
        Terminal.say(
            texts.text(
                wrong == 0 ? Message("console.checkup.fine") : Message("console.checkup.wrong-count", count: wrong)))
        return wrong == 0 ? .success : .refused
    }

    /// Mark of a verdict, of constant width and distinguishable without color.
    private static func mark(_ verdict: Finding.Verdict) -> String {
        switch verdict {
        case .good: "good "
        case .note: "note "
        case .wrong: "WRONG"
        }
    }
}
