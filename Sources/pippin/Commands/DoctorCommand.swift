import AuthEngine
import Bytes
import Doctor
import Domain
import EventLoop
import Templates
import Tenancy

/// `pippin doctor`.
struct DoctorCommand {
    /// Nobody who asks by `--team` means a team that is not there.
    private static let usage = ExitStatus(code: 2)
    private static let pageSize = 50

    let settings: Settings
    /// All of them where nil.
    let team: String?

    /// - Throws: `CommandFailure` with a status of its own: 1 means that something is wrong with the set-up.
    static func parse(_ options: inout Options) throws(CommandFailure) -> Command {
        let team = options.argument("team")
        do {
            return .doctor(try options.settings(operands: 0).settings, team: team)
        } catch {
            throw CommandFailure(error.lines, status: usage)
        }
    }

    func run() throws(CommandFailure) -> ExitStatus {
        var id: TeamID?
        if let team {
            guard let known = TeamID(rawValue: team), known != .system else {
                throw CommandFailure(
                    "\(team) is not a Team ID: 10 characters A-Z and 0-9",
                    status: Self.usage
                )
            }
            id = known
        }
        let texts = try texts()
        let (installation, _) = try Installation.open(settings)
        defer { installation.close() }
        let house = try House(installation)
        defer { house.close() }
        return report(try look(in: house, id), texts)
    }

    private func texts() throws(CommandFailure) -> Texts {
        do {
            return try Texts(folder: settings.resources.texts)
        } catch {
            throw CommandFailure(error.all.map(\.description))
        }
    }

    /// The findings of the installation, then of each team, under a heading.
    private func look(in house: House, _ id: TeamID?) throws(CommandFailure) -> [Section] {
        let (worker, context, allowsLoopback) = (
            house.workers[0], house.context, settings.allowsLoopback
        )
        let lacksProxy = settings.lacksTrustedProxy
        let file = settings.certificateFile()
        do {
            return try worker.loop.wait {
                let teams = try await Self.teams(id, worker)
                let installation = InstallationCheckup(
                    context,
                    apple: worker.apple,
                    client: worker.outgoing.house,
                    certificateFile: file,
                    lacksProxy: lacksProxy
                )
                let checkup = TeamCheckup(
                    TeamDatabase(worker.app),
                    context: context,
                    apple: worker.apple,
                    checks: worker.checks(allowsLoopback: allowsLoopback),
                    client: worker.outgoing.house
                )
                let around = await installation.run(
                    needsApple: try await checkup.needsApple(teams.map(\.id)),
                    for: .operator
                )
                var sections = [Section(heading: context.publicURL, findings: around)]
                for team in teams {
                    let findings = try await checkup.run(team, by: .command("doctor"), from: .local)
                    let heading = "team \(team.id) \"\(team.settings.name.rawValue)\""
                    sections.append(Section(heading: heading, findings: findings))
                }
                return sections
            }
        } catch let failure as CommandFailure {
            throw failure
        } catch {
            throw CommandFailure("the check-up broke off: \(error)")
        }
    }

    private static func teams(_ id: TeamID?, _ worker: Worker) async throws -> [Team] {
        if let id {
            guard let team = try await TeamStore(TeamDatabase(worker.app)).find(id) else {
                throw CommandFailure("there is no team \(id)", status: usage)
            }
            return [team]
        }
        let store = TeamListStore(SystemDatabase(worker.system))
        var (teams, cursor): ([Team], TeamPage.Cursor?) = ([], nil)
        repeat {
            let page = try await store.page(matching: "", after: cursor, limit: pageSize)
            teams += page.teams.filter { $0.closedAt == nil }
            cursor = page.next.map { TeamPage.Cursor(createdAt: $0.createdAt, id: $0.id) }
        } while cursor != nil
        return teams
    }

    private struct Section: Sendable {
        let heading: String
        let findings: [Finding]
    }

    private func report(_ sections: [Section], _ texts: Texts) -> ExitStatus {
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
                wrong == 0
                    ? Phrase("console.doctor.fine") : Phrase("console.doctor.wrong-count", count: wrong)
            )
        )
        return wrong == 0 ? .success : .refused
    }

    /// Of one width, and told apart without colour.
    private static func mark(_ verdict: Finding.Verdict) -> String {
        switch verdict {
        case .good: "good "
        case .note: "note "
        case .wrong: "WRONG"
        }
    }
}
