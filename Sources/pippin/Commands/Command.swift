import Core
import Registry
import Templates

/// A command with its checked settings.
enum Command: Sendable {
    case help(topic: Name?)
    case version
    case serve(Settings)
    case migrate(Settings, isCheck: Bool)
    case apply(Settings, ApplyCommand.Arguments)
    case export(Settings, team: String)
    case audit(Settings, AuditCommand.Task)
    case setupLink(Settings)
    case doctor(Settings, team: String?)
    case backup(Settings, folder: String)
    case checkBackup(folder: String, maxAge: Duration?)
    case endCopy(Settings)
    case restore(Settings, RestoreCommand.Arguments)

    /// Name of a command, the first argument on the command line.
    ///
    /// Parsing and help switch over all cases, so the compiler reports a case that one of them lacks.
    enum Name: String, CaseIterable {
        case serve
        case migrate
        case apply
        case export
        case audit
        case doctor
        case backup
        case restore
        case setupLink = "setup-link"
        case version
    }

    /// Parses the command line and reports every error, not only the first.
    static func parse(_ arguments: [String]) throws(CommandFailure) -> Command {
        guard let name = arguments.first, name != "--help", name != "-h" else { return .help(topic: nil) }
        if name == "--version" { return .version }
        let rest = Array(arguments.dropFirst())
        if name == "help" { return .help(topic: try rest.first.map(known)) }
        let command = try known(name)
        if rest.contains("--help") || rest.contains("-h") { return .help(topic: command) }
        return try parse(command, rest)
    }

    private static func known(_ name: String) throws(CommandFailure) -> Name {
        guard let name = Name(rawValue: name) else {
            throw CommandFailure("there is no command \(name); pippin --help lists them", status: .usage)
        }
        return name
    }

    private static func parse(_ name: Name, _ rest: [String]) throws(CommandFailure) -> Command {
        var options = Options(rest)
        switch name {
        case .version:
            try options.finish()
            return .version
        case .serve: return .serve(try options.settings(operands: 0).settings)
        case .migrate:
            let isCheck = options.isGiven("check")
            return .migrate(try options.settings(operands: 0).settings, isCheck: isCheck)
        case .setupLink: return .setupLink(try options.settings(operands: 0).settings)
        case .doctor: return try DoctorCommand.parse(&options)
        case .audit: return try AuditCommand.parse(rest)
        case .backup: return try BackupCommand.parse(&options)
        case .restore: return try RestoreCommand.parse(&options)
        case .export:
            let (settings, operands) = try options.settings(operands: 1, called: "TEAMID")
            return .export(settings, team: operands[0])
        case .apply:
            let flags = ApplyCommand.Flags(
                isDryRun: options.isGiven("dry-run"), prunes: options.isGiven("prune"),
                resetsCredentials: options.isGiven("reset-credentials"),
                acceptsAppleTokens: options.isGiven("accept-apple-tokens"))
            let (settings, operands) = try options.settings(operands: 1, called: "FILE.json")
            return .apply(settings, ApplyCommand.Arguments(file: operands[0], flags: flags))
        }
    }

    func run() throws(CommandFailure) -> ExitStatus {
        switch self {
        case .help(let topic):
            Terminal.page(Help.text(for: topic))
            return .success
        case .version:
            Terminal.say("pippin \(Version.current)")
            return .success
        case .serve(let settings): return try ServeCommand(settings: settings).run()
        case .migrate(let settings, let isCheck): return try MigrateCommand(settings: settings, isCheck: isCheck).run()
        case .apply(let settings, let arguments):
            return try ApplyCommand(settings: settings, arguments: arguments).run()
        case .export(let settings, let team): return try ExportCommand(settings: settings, team: team).run()
        case .audit(let settings, let task): return try AuditCommand(settings: settings, task: task).run()
        case .doctor(let settings, let team): return try DoctorCommand(settings: settings, team: team).run()
        case .backup(let settings, let folder): return try BackupCommand(settings: settings, folder: folder).run()
        case .checkBackup(let folder, let maxAge): return try BackupCommand.check(folder, maxAge: maxAge)
        case .endCopy(let settings): return try RestoreCommand.endCopy(settings)
        case .restore(let settings, let arguments):
            return try RestoreCommand(settings: settings, arguments: arguments).run()
        case .setupLink(let settings): return try SetupLinkCommand(settings: settings).run()
        }
    }
}

enum Version { static let current = "0.3.0" }

/// Failure of a command, with one line for each reason.
struct CommandFailure: Error, Sendable {
    let lines: [String]
    let status: ExitStatus
    /// Whether the command may succeed if it is repeated shortly afterwards.
    let isTransient: Bool

    init(_ lines: [String], status: ExitStatus = .refused, isTransient: Bool = false) {
        self.lines = lines
        self.status = status
        self.isTransient = isTransient
    }

    init(_ line: String, status: ExitStatus = .refused, isTransient: Bool = false) {
        self.init([line], status: status, isTransient: isTransient)
    }
}

extension CommandFailure: CustomStringConvertible { var description: String { lines.joined(separator: " ") } }

extension CommandFailure {
    /// The field errors of a registry file, one line each, in the console's English texts.
    ///
    /// - Parameter places: where in the file the paths stand.
    init(
        _ errors: FieldErrors, after prefix: String = "", at places: [FieldPath: String] = [:],
        saying resources: Resources
    ) {
        let texts: Translations
        do { texts = try Translations(folder: resources.texts) } catch {
            self.init(error.all.map(\.description))
            return
        }
        self.init(
            errors.all.map { error in
                let message = texts.text(error.message)
                let place = places[error.path].map { "\($0), " } ?? ""
                return prefix + (error.path == .whole ? message : "\(place)\(error.path): \(message)")
            })
    }
}
