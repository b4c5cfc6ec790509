import Glibc
import Registry

/// The options of a command line, taken one by one; an option that is not taken is an error.
struct Options {
    private var values: [String: String] = [:]
    /// Options that need a value and have none.
    private var valueless: Set<String> = []
    private var operands: [String] = []
    private(set) var problems: [String] = []

    /// Options without a value.
    private static let flags: Set<String> = [
        "demo", "simulate-apple", "watch-templates", "allow-loopback", "dry-run", "prune", "reset-credentials",
    ]

    init(_ arguments: [String]) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            guard argument.hasPrefix("--"), argument != "--" else {
                operands.append(argument)
                continue
            }
            let parts = argument.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = parts.first.map(String.init) ?? ""
            if values[name] != nil || valueless.contains(name) { problems.append("--\(name) is given twice") }
            if Self.flags.contains(name) {
                if parts.count == 2 { problems.append("--\(name) takes no value") }
                values[name] = "yes"
            } else if let value = parts.count == 2 ? String(parts[1]) : Self.value(&rest), !value.isEmpty {
                values[name] = value
            } else {
                valueless.insert(name)
            }
        }
    }

    /// The argument after an option, unless it is an option itself.
    private static func value(_ rest: inout ArraySlice<String>) -> String? {
        rest.first.map { $0.hasPrefix("--") } == false ? rest.removeFirst() : nil
    }

    /// Takes an option from the command line.
    mutating func argument(_ name: String) -> String? {
        if valueless.remove(name) != nil { problems.append("--\(name) needs a value") }
        return values.removeValue(forKey: name)
    }

    /// Takes an option from the command line, or else from its environment variable `PIPPIN_…`.
    mutating func value(_ name: String) -> String? {
        if let value = argument(name) { return value }
        return Environment.value("PIPPIN_" + name.uppercased().map { $0 == "-" ? "_" : String($0) }.joined())
    }

    /// Takes a flag from the command line only, because an exported variable would change every run.
    mutating func isGiven(_ name: String) -> Bool { argument(name) != nil }

    /// Takes a flag from the command line, or else from its environment variable with yes or no.
    mutating func flag(_ name: String) -> Bool {
        switch value(name) {
        case nil, "", "no", "0", "false": return false
        case "yes", "1", "true": return true
        case let other?:
            problems.append("--\(name) is yes or no, not \(other)")
            return false
        }
    }

    mutating func complain(_ problem: String) { problems.append(problem) }

    /// Takes the server's settings and the operands, and reports all remaining arguments as errors.
    mutating func settings(operands count: Int, called name: String = "") throws(CommandFailure) -> (
        settings: Settings, operands: [String]
    ) {
        let settings = Settings(&self)
        if operands.count < count { problems.append("\(name) is missing") }
        try finish(operands: count)
        guard let settings else { throw CommandFailure(problems, status: .usage) }
        return (settings, operands)
    }

    mutating func finish(operands count: Int = 0) throws(CommandFailure) {
        problems += (Array(values.keys) + valueless).sorted().map { "there is no option --\($0); see --help" }
        problems += operands.dropFirst(count).map { "\($0) is one word too many" }
        guard problems.isEmpty else { throw CommandFailure(problems, status: .usage) }
    }
}

/// Environment of the process; an empty variable counts as unset.
enum Environment {
    /// All variables, as `name=value`.
    static var lines: [String] {
        var lines: [String] = []
        var place = unsafe environ
        while let line = unsafe place.pointee {
            unsafe lines.append(String(cString: line))
            unsafe place += 1
        }
        return lines
    }

    static func value(_ name: String) -> String? {
        unsafe getenv(name).map { unsafe String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }
}

/// Origin under which users and apps reach Pippin.
///
/// It comes from the configuration, never from a request header.
struct PublicURL: Sendable {
    /// Serialized origin: scheme, host and port without a trailing slash or a default port (RFC 6454 section 6.1).
    let text: String
    let host: String
    let isSecure: Bool
    /// Port with its colon; empty for the scheme's default port.
    private let portSuffix: String

    /// Accepts an https origin, or an http origin on loopback.
    init?(_ text: String) {
        let isSecure = text.hasPrefix("https://")
        guard isSecure || text.hasPrefix("http://") else { return nil }
        let rest = text.dropFirst(isSecure ? 8 : 7)
        let trimmed = rest.hasSuffix("/") ? rest.dropLast() : rest
        let parts = trimmed.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let host = parts.first, !host.isEmpty, host.utf8.allSatisfy(Self.isHostCharacter),
            let port = parts.count == 1 ? (isSecure ? 443 : 80) : Port.read(parts[1])
        else { return nil }
        self.host = host.lowercased()
        self.isSecure = isSecure
        portSuffix = port == (isSecure ? 443 : 80) ? "" : ":\(port)"
        self.text = "\(isSecure ? "https" : "http")://\(self.host)\(portSuffix)"
        guard isSecure || isLoopback else { return nil }
    }

    var isLoopback: Bool { Loopback.contains(host) }

    /// The origin with another host name of this machine; unchanged with TLS, as the certificate names one host.
    func beside(_ host: String) -> String { isSecure ? text : "http://\(host)\(portSuffix)" }

    private static func isHostCharacter(_ character: UInt8) -> Bool {
        switch character {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}

/// A TCP port: digits only, not zero.
enum Port {
    static func read(_ text: some StringProtocol) -> UInt16? {
        guard text.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains), let port = UInt16(text) else {
            return nil
        }
        return port > 0 ? port : nil
    }
}

/// The folders that a running Pippin reads: templates, texts, public files, migrations.
struct Resources: Sendable {
    let folder: String

    var templates: String { folder + "/Templates" }
    var texts: String { folder + "/Texts" }
    var publicFiles: String { folder + "/Public" }
    var migrations: String { folder + "/migrations" }

    /// The chosen folder, else the one beside the binary, else the checkout in which the binary was built.
    static func find(_ chosen: String?) -> Resources? {
        let candidates = chosen.map { [$0] } ?? nearBinary()
        return candidates.map(Resources.init(folder:)).first(where: \.isComplete)
    }

    private var isComplete: Bool {
        [templates, texts, publicFiles, migrations].allSatisfy { (path: String) in unsafe access(path, R_OK | X_OK) == 0
        }
    }

    /// The binary's folder and those above it, because a checkout keeps the binary some levels below `.build`.
    private static func nearBinary() -> [String] {
        guard let path = unsafe realpath("/proc/self/exe", nil) else { return [] }
        defer { unsafe free(path) }
        var folder = unsafe String(cString: path)
        var folders: [String] = []
        while let slash = folder.lastIndex(of: "/"), folders.count < 6 {
            folder = String(folder[..<slash])
            folders.append(folder)
        }
        return folders
    }
}
