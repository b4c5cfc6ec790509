import Core

extension Binder {
    /// Binds a text tag: the text in the binder's language becomes literals, its arguments become values.
    mutating func bindText(_ tag: TextTag) {
        guard let entry = texts.entry(tag.key, in: language) else { return reportMissing(tag) }
        guard holdsWords(tag) else { return }
        let arguments = arguments(of: tag, for: entry)
        guard let arguments else { return }
        guard entry.isPlural, case .path(let count, _)? = arguments["count"] else {
            write(entry.forms[.other] ?? [], tag, arguments)
            return
        }
        var exits: [Int] = []
        let categories = language.pluralCategories
        for category in categories.dropLast() {
            let test = builder.reserve()
            write(entry.forms[category] ?? [], tag, arguments)
            exits.append(builder.reserve())
            builder.fill(test, .form(category, of: builder.reference(to: count), otherwise: builder.label()))
        }
        write(categories.last.flatMap { entry.forms[$0] } ?? [], tag, arguments)
        let exit = builder.label()
        for jump in exits { builder.fill(jump, .jump(exit)) }
    }

    /// A resolved argument of a text tag.
    private enum Argument {
        case path(NameScope.Match, Path)
        case literal(String)
    }

    /// Whether text is allowed at the current position of the HTML; reports an error if not.
    private mutating func holdsWords(_ tag: TextTag) -> Bool {
        do throws(ValueMismatch) {
            guard [.markup, .attribute, .heading].contains(try html.escape(for: .text)) else {
                throw ValueMismatch(found: "words in a URL", expected: "a value there")
            }
            return true
        } catch {
            report(tag.offset, found: error.found + ": the text `\(tag.key)`", expected: error.expected)
            return false
        }
    }

    /// Resolves the tag's arguments by placeholder; nil, after reporting errors, if any is unknown, missing or wrong.
    private mutating func arguments(of tag: TextTag, for entry: TextEntry) -> [String: Argument]? {
        let reported = diagnostics.all.count
        var found: [String: Argument] = [:]
        for argument in tag.arguments {
            guard entry.arguments.contains(argument.name) || argument.name == "count" else {
                let names = entry.arguments.sorted().map { "{\($0)}" }.joined(separator: ", ")
                let expected = names.isEmpty ? "no argument" : "one of \(names)"
                let what = "the argument `\(argument.name)`, which `\(tag.key)` has no placeholder for"
                report(argument.offset, found: what, expected: expected)
                continue
            }
            found[argument.name] = resolve(argument)
        }
        let needed = entry.arguments.union(entry.needsCount ? ["count"] : [])
        for name in needed.subtracting(tag.arguments.map(\.name)).sorted() {
            let what = "the text `\(tag.key)` without its argument `\(name)`"
            report(tag.offset, found: what, expected: "`\(name)=path`")
        }
        return diagnostics.all.count == reported ? found : nil
    }

    private mutating func resolve(_ argument: TextTag.Argument) -> Argument? {
        switch argument.value {
        case .literal(let text):
            guard argument.name == "count" else { return .literal(text) }
            report(argument.offset, found: "`count` as a text", expected: "a number")
            return nil
        case .path(let path):
            guard let match = find(path) else { return nil }
            switch match.kind {
            case .integer: return .path(match, path)
            case .text, .optionalText, .words, .optionalWords, .url:
                if argument.name != "count" { return .path(match, path) }
            case .flag, .html, .list, .group, .optionalGroup: break
            }
            let expected = argument.name == "count" ? "a number" : "a text or a number"
            report(path.offset, found: "`\(path.text)`, which is \(match.kind.noun)", expected: expected)
            return nil
        }
    }

    private mutating func write(_ pieces: [TextPiece], _ tag: TextTag, _ arguments: [String: Argument]) {
        if html.place != .text, pieces.contains(where: \.isMarkup) {
            let found = "the text `\(tag.key)`, which has markup, \(html.description)"
            return report(tag.offset, found: found, expected: "it in text")
        }
        for piece in pieces {
            switch piece {
            case .words(let words):
                var bytes: [UInt8] = []
                (html.isInHeading ? Escape.heading : .markup).write(words, into: &bytes)
                builder.literal(bytes[...])
            case .markup(let markup): advance(markup)
            case .argument(let name): if let argument = arguments[name] { write(argument) }
            case .link(let name):
                advance("<a href=\"")
                if let argument = arguments[name] { write(argument) }
                advance("\">")
            }
        }
        html.passValue()
    }

    /// Writes an argument with the same escaping as a value at this position.
    private mutating func write(_ argument: Argument) {
        do throws(ValueMismatch) {
            switch argument {
            case .literal(let text):
                var bytes: [UInt8] = []
                try html.escape(for: .text).write(text, into: &bytes)
                builder.literal(bytes[...])
            case .path(let match, _):
                let escape = try html.escape(for: match.kind)
                let reference = builder.reference(to: match)
                if case .integer = match.kind { builder.number(reference) } else { builder.value(reference, escape) }
            }
        } catch { preconditionFailure("a text's own markup holds its values: \(error)") }
        html.passValue()
    }

    /// Appends markup of a text as literal bytes.
    ///
    /// The text parser accepts only whole tags, and `write` checks that the position is text, so this cannot fail.
    private mutating func advance(_ markup: String) {
        for byte in markup.utf8 {
            do throws(HTMLTokenizer.Complaint) { try html.advance(byte) } catch {
                preconditionFailure("a text's own markup begins in text: \(error)")
            }
        }
        builder.literal(Array(markup.utf8)[...])
    }

    private mutating func reportMissing(_ tag: TextTag) {
        // A key that English lacks too is probably misspelt, so a similar key is suggested.
        let isNowhere = texts.entry(tag.key, in: .english) == nil
        let hint = isNowhere ? NearestName.of(tag.key, among: texts.keys(in: .english).sorted()) : nil
        let found = "the text `\(tag.key)`, which \(isNowhere ? "no file has" : "\(language.tag) lacks")"
        report(tag.offset, found: found, expected: "a line in \(Self.file(of: tag.key, language))", hint)
    }

    private static func file(of key: String, _ language: Language) -> String {
        let parts = key.split(separator: ".").prefix(2)
        return "Texts/\(language.tag)/\(parts.joined(separator: "/")).txt"
    }
}

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
