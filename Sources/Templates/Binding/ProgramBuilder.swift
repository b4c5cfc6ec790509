import Core

/// Builds a program: joins adjacent literals, but never across a jump target.
struct ProgramBuilder {
    private(set) var program: Program
    /// Index of the latest jump target; literals before it must not grow.
    private var barrier = 0
    /// Ways from the page by the names of their groups, so that a group read once serves all its fields.
    private var pageWays: [[String]: Int] = [:]

    init(_ language: Language, _ texts: Translations) { program = Program(language, texts) }

    /// A state of the builder to return to.
    struct Mark {
        fileprivate let instructions: Int
        fileprivate let literals: Int
        fileprivate let barrier: Int
    }

    var mark: Mark {
        Mark(instructions: program.instructions.count, literals: program.literals.count, barrier: barrier)
    }

    mutating func literal(_ bytes: ArraySlice<UInt8>) {
        guard !bytes.isEmpty else { return }
        let start = program.literals.count
        program.literals.append(contentsOf: bytes)
        let end = program.literals.count
        let last = program.instructions.count - 1
        if last >= barrier, case .literal(let range) = program.instructions[last] {
            program.instructions[last] = .literal(range.lowerBound..<end)
        } else {
            program.instructions.append(.literal(start..<end))
        }
    }

    mutating func value(_ field: Reference, _ escape: Escape) { program.instructions.append(.value(field, escape)) }

    mutating func number(_ field: Reference) { program.instructions.append(.number(field)) }

    /// Appends a placeholder for an instruction whose target is not yet known and returns its index.
    mutating func reserve() -> Int {
        program.instructions.append(.jump(0))
        barrier = program.instructions.count
        return program.instructions.count - 1
    }

    mutating func fill(_ index: Int, _ instruction: Instruction) { program.instructions[index] = instruction }

    /// Marks the position of the next instruction as a jump target and returns it.
    mutating func label() -> Int {
        barrier = program.instructions.count
        return barrier
    }

    mutating func goBack(to mark: Mark) {
        program.instructions.removeLast(program.instructions.count - mark.instructions)
        program.literals.removeLast(program.literals.count - mark.literals)
        barrier = mark.barrier
    }

    mutating func reference(to match: NameScope.Match) -> Reference {
        program.readers.append(match.field.reader)
        return Reference(level: match.level, way: way(to: match), reader: program.readers.count - 1)
    }

    private mutating func way(to match: NameScope.Match) -> Int {
        guard !match.groups.isEmpty else { return 0 }
        if match.level == 0, let known = pageWays[match.groupNames] { return known }
        program.ways.append(match.groups)
        if match.level == 0 { pageWays[match.groupNames] = program.ways.count - 1 }
        return program.ways.count - 1
    }
}
