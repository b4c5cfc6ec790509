import Core
import Platform
import Postgres
import Templates

/// A condition under which a process cannot serve, or may soon not.
///
/// `/readyz`, the start, `pippin doctor`, the health page and the log ask this list and nothing else.
struct ReadinessCondition: Sendable {
    /// What a condition that holds means: no requests, or a warning to the operator.
    enum Weight: Sendable {
        case unready
        case warning
    }

    let code: ReadinessCode
    /// Sentence for anybody, without host, path, role or version.
    let sentence: String
    /// Nil unless the condition holds.
    let weight: @Sendable (ReadinessFacts) -> Weight?

    /// The conditions, the first that holds wins.
    static let all: [ReadinessCondition] = [
        Self(.starting, "The server is starting.") { !$0.hasServed && $0.trouble == nil },
        Self(.draining, "The server is about to stop.") { $0.isDraining },
        Self(.databaseUnreachable, "The database cannot be reached."),
        Self(.databaseStarting, "The database is starting."), Self(.databaseSilent, "The database does not answer."),
        Self(.databaseStalled, "The database does not finish writing."),
        Self(.databaseReadOnly, "The database takes no changes.") { $0.database?.isReadOnly == true },
        Self(.databaseFull, "The database has no room left."), Self(.databaseBroken, "The database is damaged."),
        Self(.databaseUnsuitable, "The database is not set up as it has to be."),
        Self(.databaseRole, "The database gives this server other rights.") { $0.database?.hasRole == false },
        Self(.databaseWall, "The database does not keep teams apart.") { $0.database?.isWalled == false },
        Self(.schemaOlder, "The database is of an older version.") { $0.fit == .older },
        Self(.schemaNewer, "The database is of a newer version.") { $0.fit == .newer },
        Self(.schemaShape, "The database has lost rules of access.") { $0.shapeFault != nil },
        Self(.masterKey, "A key of the database is missing."),
        Self(code: .clock, sentence: "The clock is wrong.") { facts in
            let difference = (facts.clockDifference / .seconds(1)).magnitude
            if difference > 60, facts.isStart || facts.othersAgree { return .unready }
            return difference > 5 ? .warning : nil
        },
        Self(code: .descriptors, sentence: "The server has too few file descriptors.") { facts in
            guard facts.freeDescriptors < fewestDescriptors else { return nil }
            return facts.isStart || facts.shortage >= .seconds(60) ? .unready : .warning
        },
        Self(code: .dataFolder, sentence: "The data directory cannot be written.") { facts in
            facts.isFolderWritable ? nil : facts.isStart ? .unready : .warning
        }, Self(code: .copy, sentence: "This is a copy.") { $0.database?.isCopy == true ? .warning : nil },
    ]

    /// Free file descriptors below which a process runs short.
    static let fewestDescriptors = 64

    /// The conditions that hold, those under which the process cannot serve first.
    static func holding(_ facts: ReadinessFacts) -> [(condition: ReadinessCondition, weight: Weight)] {
        let holding = all.compactMap { condition in condition.weight(facts).map { (condition: condition, weight: $0) } }
        return holding.filter { $0.weight == .unready } + holding.filter { $0.weight == .warning }
    }
}

extension ReadinessCondition {
    /// A condition under which the process cannot serve: that of `trouble`, and what else makes it hold.
    private init(
        _ code: ReadinessCode, _ sentence: String,
        _ holds: @escaping @Sendable (ReadinessFacts) -> Bool = { _ in false }
    ) { self.init(code: code, sentence: sentence) { $0.trouble == code || holds($0) ? .unready : nil } }
}

/// What readiness is judged by: what a process has found out about itself and its database.
struct ReadinessFacts: Sendable {
    /// Whether the process is about to serve; some conditions weigh more then.
    var isStart = false
    /// Whether a loop has had its connections and an answer of the database.
    var hasServed = true
    var isDraining = false
    /// Why the database does not do what sign-ins need; nil if it does.
    var trouble: ReadinessCode?
    /// The last answer of the database; nil before the first.
    var database: DatabaseFacts?
    /// What this release asks of the schema.
    var schema = SchemaRequirement(last: 0, needed: 0)
    /// First difference from the walls that the last migration left.
    var shapeFault: String?
    /// How far the own clock is ahead of the database's.
    var clockDifference = Duration.zero
    /// Whether the clock of another living process agrees with the database's.
    var othersAgree = false
    var freeDescriptors = Int.max
    /// How long there have been too few descriptors.
    var shortage = Duration.zero
    var isFolderWritable = true

    /// Whether this release can serve on the database's schema; nil before the first answer.
    var fit: SchemaRequirement.Fit? { database.map { schema.fit(migration: $0.migration, runsWith: $0.runsWith) } }
}

extension CommandFailure {
    /// A condition that ends a command, with what to do, and what was found.
    init(
        _ code: ReadinessCode, _ detail: String, _ settings: Settings, status: ExitStatus = .refused,
        isTransient: Bool = false
    ) {
        let advice = (try? Translations(folder: settings.resources.texts))?.text(code.advice) ?? ""
        self.init("\(code.rawValue): \(advice) (\(detail))", status: status, isTransient: isTransient)
    }
}
