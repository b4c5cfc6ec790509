import Accounts
import CLinux
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
        let acceptsAppleTokens: Bool
    }

    struct Arguments: Sendable {
        let file: String
        let flags: Flags
    }

    let settings: Settings
    let arguments: Arguments

    func run() throws(CommandFailure) -> ExitStatus {
        guard
            let source = InputFile.open(arguments.file).map({ file in JSONSource { file.octets(from: $0, atMost: $1) } }
            )
        else { throw CommandFailure("\(arguments.file) cannot be read, or is no regular file") }
        let file = try read(source)
        var options = ApplyOptions()
        options.isDryRun = arguments.flags.isDryRun
        options.prunes = arguments.flags.prunes
        options.resetsCredentials = arguments.flags.resetsCredentials
        options.acceptsAppleTokens = arguments.flags.acceptsAppleTokens
        return try report(
            source,
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
            throw CommandFailure("the file cannot be applied: \(describing: error)")
        }
    }

    private func read(_ source: JSONSource) throws(CommandFailure) -> RegistryFile {
        let folder = RegistryFolder(around: arguments.file)
        do {
            return try RegistryFile(source) { name in
                guard let text = folder.read(name) else { throw Unreadable() }
                return Array(text.utf8)
            }
        } catch { throw refusal(error, source) }
    }

    private func refusal(_ errors: FieldErrors, _ source: JSONSource) -> CommandFailure {
        let (errors, places) = RegistryFile.placed(errors, in: source)
        return CommandFailure(errors, at: places.mapValues(\.description), saying: settings.resources)
    }

    private struct Unreadable: Error, CustomStringConvertible {
        var description: String { "no such file below the folder, or no text" }
    }

    /// Prints the plan and returns the exit status for its outcome.
    private func report(_ source: JSONSource, _ report: ApplyReport) throws(CommandFailure) -> ExitStatus {
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
        case .refused(let problems):
            if !report.teams.isEmpty { Terminal.say("applied; what follows is not") }
            throw refusal(problems, source)
        case .interrupted(let reason): throw CommandFailure("applied; what follows is not: \(reason)")
        }
    }
}

/// Directory of a registry file, to which the file names in the registry file are confined.
struct RegistryFolder {
    private let path: String?

    /// - Parameter file: the registry file.
    init(around file: String) {
        let folder = file.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        path = Self.resolved(folder.isEmpty ? "." : folder.joined(separator: "/") + "/")
    }

    /// The text of a file in or below the directory; nil if the path leaves it or `TextFile` cannot read the file.
    func read(_ name: String) -> String? {
        guard let path, let file = Self.resolved(path + "/" + name), file.hasPrefix(path == "/" ? "/" : path + "/")
        else { return nil }
        return TextFile.read(file)
    }

    /// The absolute path without symbolic links and dots; nil if it does not exist.
    private static func resolved(_ path: String) -> String? {
        guard !path.utf8.contains(0), let resolved = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }
}
