public import Core
import Registry

extension RegistryFile {
    /// Reads a registry file and the key files that it names.
    ///
    /// - Parameter load: reads a file by its path relative to the registry file.
    /// - Throws: `FieldErrors` with every error of the file's structure.
    public init(_ source: JSONSource, load: (String) throws -> [UInt8]) throws(FieldErrors) {
        var reader = RegistryReader(source)
        teams = try reader.read(load)
        guard reader.errors.isEmpty else { throw reader.errors }
    }

    public init(parsing bytes: [UInt8], load: (String) throws -> [UInt8]) throws(FieldErrors) {
        try self.init(JSONSource(bytes), load: load)
    }

    /// Errors in the order of the file, and their places; that of something absent is where what should hold it begins.
    public static func placed(_ errors: FieldErrors, in source: JSONSource) -> (FieldErrors, [FieldPath: TextPlace]) {
        let wanted = Set(errors.all.flatMap { [$0.path] + $0.path.ancestors })
        var reader = RegistryReader(source, wanted: wanted)
        _ = try? reader.read { _ in [] }
        var offsets: [FieldPath: Int] = [:]
        for path in Set(errors.all.map(\.path)) {
            offsets[path] = ([path] + path.ancestors).lazy.compactMap { reader.notes.offsets[$0] }.first
        }
        let places = source.places(of: Array(offsets.values))
        var sorted = FieldErrors()
        for error in errors.all.sorted(by: { offsets[$0.path] ?? 0 < offsets[$1.path] ?? 0 }) {
            sorted.add(error.path, error.message)
        }
        return (sorted, offsets.compactMapValues { places[$0] })
    }
}

/// Reads a registry file element by element; of users, who may be many, it keeps where their list begins.
struct RegistryReader {
    typealias Fault = JSONElements.Fault

    /// Deeper and wider than the registry of any team.
    private static let maxDepth = 12
    private static let maxValues = 250_000
    /// More than a person mends at once.
    static let mostErrors = 1_000

    private let source: JSONSource
    private var elements: JSONElements
    private(set) var notes: JSONNotes
    private(set) var errors = FieldErrors()

    typealias Load = (String) throws -> [UInt8]

    /// - Parameter wanted: paths whose offsets are noted.
    init(_ source: JSONSource, wanted: Set<FieldPath> = []) {
        (self.source, notes) = (source, JSONNotes(of: wanted))
        elements = JSONElements(source, at: source.start)
    }

    /// - Throws: the one error of a file that is no JSON.
    mutating func read(_ load: Load) throws(FieldErrors) -> [RegistryFile.Team] {
        // A byte order mark, or a character of JSON in two octets.
        let first = source.prefix(2)
        guard ![[0xFF, 0xFE], [0xFE, 0xFF]].contains(first), first.count < 2 || !first.contains(0) else {
            throw FieldErrors(.whole, "The file is in UTF-16. Save it as UTF-8.")
        }
        do throws(Fault) {
            let teams = try file(load)
            try elements.end()
            for path in notes.duplicates { add(FieldErrors(path, "This member is here a second time.")) }
            return teams
        } catch {
            let place = source.places(of: [error.offset])[error.offset] ?? TextPlace(line: 1, column: 1)
            throw FieldErrors(.whole, "Line \(place.line), column \(place.column): \(error.failure.words)")
        }
    }

    private mutating func file(_ load: Load) throws(Fault) -> [RegistryFile.Team] {
        var teams: [RegistryFile.Team] = []
        try members { reader, name throws(Fault) in
            if name == "teams", reader.elements.isAt("[") {
                try reader.list { reader throws(Fault) in teams.append(try reader.team(load)) }
            } else {
                _ = try reader.value()
                let message = name == "teams" ? "This must be a list." : MemberReader.unknown(beside: ["teams"])
                reader.add(FieldErrors(FieldPath(name), message))
            }
        }
        return teams
    }

    private mutating func team(_ load: Load) throws(Fault) -> RegistryFile.Team {
        let path = notes.path
        var (known, users): ([String: JSONValue], RegistryFile.UserList?) = ([:], nil)
        try members { reader, name throws(Fault) in
            guard name == "users", reader.elements.isAt("[") else {
                known[name] = try reader.value()
                return
            }
            known[name] = []
            users = RegistryFile.UserList(reader.source, at: reader.elements.offset())
            try reader.list { reader throws(Fault) in
                var members = MemberReader(try reader.value(), at: reader.notes.path)
                _ = RegistryFile.User(&members)
                reader.add(members.finished())
            }
        }
        var members = MemberReader(.object(known), at: path)
        let team = RegistryFile.Team(&members, users, load)
        add(members.finished())
        return team
    }

    /// Goes through the members of the object that is next; of anything else it notes that it is none.
    private mutating func members(_ body: (inout RegistryReader, String) throws(Fault) -> Void) throws(Fault) {
        guard elements.isAt("{") else {
            _ = try value()
            return add(FieldErrors(notes.path, "This is not an object."))
        }
        try elements.enter("{")
        var names: Set<String> = []
        while try elements.hasNext(before: "}") {
            let offset = elements.offset()
            let name = try elements.name()
            let path = notes.enter(name, at: offset)
            if !names.insert(name).inserted { notes.noteDuplicate() }
            try body(&self, name)
            notes.leave(to: path)
        }
    }

    private mutating func list(_ body: (inout RegistryReader) throws(Fault) -> Void) throws(Fault) {
        try elements.enter("[")
        var position = 0
        while try elements.hasNext(before: "]") {
            let path = notes.enter(position, at: elements.offset())
            try body(&self)
            notes.leave(to: path)
            position += 1
        }
    }

    private mutating func value() throws(Fault) -> JSONValue {
        try elements.value(maxDepth: Self.maxDepth, maxValues: Self.maxValues, &notes)
    }

    private mutating func add(_ more: FieldErrors) { if errors.all.count < Self.mostErrors { errors.add(more) } }
}

extension RegistryFile {
    /// The users of a team, read from the file in batches whenever they are asked for.
    struct UserList: Sendable {
        private var elements: JSONElements
        /// Position of the next one.
        private(set) var position = 0
        /// Nil before the first one is read.
        private var hasMore: Bool?

        fileprivate init(_ source: JSONSource, at offset: Int) { elements = JSONElements(source, at: offset) }

        /// The next users, at most so many; none at the end.
        ///
        /// - Throws: an error if the file was changed since it was read first.
        mutating func next(_ count: Int) throws(FieldErrors) -> [User] {
            do throws(JSONElements.Fault) {
                if hasMore == nil { try elements.enter("[") }
                var (users, notes) = ([User](), JSONNotes())
                while users.count < count, hasMore != false {
                    hasMore = try elements.hasNext(before: "]")
                    guard hasMore == true else { break }
                    var members = MemberReader(try elements.value(maxDepth: 2, maxValues: 100, &notes), at: .whole)
                    users.append(User(&members))
                }
                position += users.count
                return users
            } catch { throw FieldErrors(.whole, "The file was changed while it was read.") }
        }
    }
}

extension JSON.Failure {
    fileprivate var words: String {
        switch self {
        case .tooDeep: "the file is nested more deeply than any registry is."
        case .tooMany: "the file holds more values than any registry does."
        case .duplicateMember, .malformed, .mismatch: "the file is not valid JSON."
        }
    }
}
