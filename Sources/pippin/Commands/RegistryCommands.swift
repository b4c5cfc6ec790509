import Accounts
import Core
import EventLoop
import Glibc
import HTTP
import Platform
import Postgres
import Registry

/// `pippin apply`.
struct ApplyCommand {
    struct Flags: Sendable {
        let isDryRun: Bool
        let prunes: Bool
        let resetsCredentials: Bool
    }

    struct Arguments: Sendable {
        let file: String
        let flags: Flags
    }

    let settings: Settings
    let arguments: Arguments

    func run() throws(CommandFailure) -> ExitStatus {
        let file = try read()
        var options = ApplyOptions()
        options.isDryRun = arguments.flags.isDryRun
        options.prunes = arguments.flags.prunes
        options.resetsCredentials = arguments.flags.resetsCredentials
        return try report(
            try ServerProcess.run(settings) { process throws(CommandFailure) in
                try Self.apply(file, options, in: process)
            })
    }

    /// Applies a registry file with the services of a server process.
    static func apply(_ file: RegistryFile, _ options: ApplyOptions, in process: ServerProcess) throws(CommandFailure)
        -> ApplyReport
    {
        let provisioner = process.provisioner
        do { return try process.loops[0].wait { [options] in try await provisioner.apply(file, options) } } catch {
            throw CommandFailure("the file cannot be applied: \(error)")
        }
    }

    private func read() throws(CommandFailure) -> RegistryFile {
        guard let octets = TextFile.octets(arguments.file) else {
            throw CommandFailure("\(arguments.file) cannot be read, or is no regular file of at most 1 MiB")
        }
        let folder = RegistryFolder(around: arguments.file)
        do {
            return try RegistryFile(parsing: octets) { name in
                guard let text = folder.read(name) else { throw Unreadable() }
                return Array(text.utf8)
            }
        } catch { throw CommandFailure(error.all, saying: settings.resources) }
    }

    private struct Unreadable: Error, CustomStringConvertible {
        var description: String { "no such file below the folder, or no text" }
    }

    /// Prints the plan and returns the exit status for its outcome.
    private func report(_ report: ApplyReport) throws(CommandFailure) -> ExitStatus {
        for team in report.teams {
            Terminal.say("team \(team.id)")
            for line in team.lines { Terminal.say("  \(line)") }
        }
        switch report.outcome {
        case .unchanged:
            Terminal.say("unchanged")
            return .success
        case .applied:
            Terminal.say("applied")
            return .success
        case .wouldChange:
            Terminal.say("nothing was changed: this was a dry run")
            return .wouldChange
        case .refused(let problems): throw CommandFailure(problems, saying: settings.resources)
        }
    }
}

/// `pippin export`.
struct ExportCommand {
    let settings: Settings
    let team: String

    func run() throws(CommandFailure) -> ExitStatus {
        guard let id = TeamID(rawValue: team), id != .system else {
            throw CommandFailure("\(team) is not a Team ID: 10 characters A-Z and 0-9")
        }
        let file = try ServerProcess.run(settings) { process throws(CommandFailure) in
            let provisioner = process.provisioner
            do { return try process.loops[0].wait { try await provisioner.export(id) } } catch {
                throw CommandFailure("the team cannot be exported: \(error)")
            }
        }
        guard let file else { throw CommandFailure("there is no team \(id)") }
        Terminal.pass(file.json + [UInt8(ascii: "\n")])
        return .success
    }
}
