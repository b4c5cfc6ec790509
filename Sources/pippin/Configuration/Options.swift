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
        "accept-apple-tokens", "no-migrate", "check", "end-tokens", "as-copy", "moved", "end-copy",
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
        let operands = try operands(count, called: name)
        guard let settings else { throw CommandFailure(problems, status: .usage) }
        return (settings, operands)
    }

    /// Takes the operands, and reports all remaining arguments as errors.
    mutating func operands(_ count: Int, called name: String) throws(CommandFailure) -> [String] {
        if operands.count < count { problems.append("\(name) is missing") }
        try finish(operands: count)
        return operands
    }

    mutating func finish(operands count: Int = 0) throws(CommandFailure) {
        problems += (Array(values.keys) + valueless).sorted().map { "there is no option --\($0); see --help" }
        problems += operands.dropFirst(count).map { "\($0) is one word too many" }
        guard problems.isEmpty else { throw CommandFailure(problems, status: .usage) }
    }
}
