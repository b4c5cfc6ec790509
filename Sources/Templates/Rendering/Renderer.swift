import Core

/// Runs a program for a page.
struct Renderer {
    private let program: Program
    /// The page, then the groups and rows around the current position.
    private var scopes: [Scope]
    /// Groups of the page by their way, once they have been read: a layout asks for the same few again and again.
    private var groups: [Scope?]

    init(_ program: Program, _ page: Scope) {
        self.program = program
        scopes = [page]
        groups = Array(repeating: nil, count: program.ways.count)
    }

    mutating func run(into out: inout [UInt8]) { run(program.instructions.indices, into: &out) }

    private mutating func run(_ range: Range<Int>, into out: inout [UInt8]) {
        var next = range.lowerBound
        while next < range.upperBound {
            let current = next
            next += 1
            switch program.instructions[current] {
            case .literal(let range): out.append(copying: program.literals.span.extracting(range))
            case .value(let field, let escape): write(field, escape, into: &out)
            case .number(let field):
                if let number = number(field) { NumberText.write(number, in: program.language, into: &out) }
            case .form(let category, let field, let otherwise):
                let count = number(field) ?? 0
                if program.language.pluralCategory(of: count) != category { next = otherwise }
            case .test(let field, let isNegated, let otherwise): if holds(field) == isNegated { next = otherwise }
            case .jump(let target): next = target
            case .each(let field, let end, let exit): next = runEach(field, current + 1..<end, into: &out) ? exit : end
            case .with(let field, let end, let exit): next = runWith(field, current + 1..<end, into: &out) ? exit : end
            }
        }
    }

    private mutating func write(_ field: Reference, _ escape: Escape, into out: inout [UInt8]) {
        guard let scope = scope(of: field) else { return }
        switch program.readers[field.reader] {
        case .text(let read): if let text = read(scope) { escape.write(text, into: &out) }
        case .words(let read): if let words = read(scope) { write(words, escape, into: &out) }
        case .integer(let read): if let number = read(scope) { Escape.write(number, into: &out) }
        case .flag, .list, .group: break
        }
    }

    /// Writes a localized text; moments become `<time>` elements where an element is allowed.
    private func write(_ words: LocalizedText, _ escape: Escape, into out: inout [UInt8]) {
        guard escape == .markup || escape == .heading, words.holdsMoment else {
            guard escape == .markup || escape == .attribute else {
                return escape.write(program.texts.text(words, in: program.language), into: &out)
            }
            return program.texts.parts(of: words, in: program.language) { escape.write($0, into: &out) }
        }
        for said in program.texts.said(words, in: program.language) {
            switch said {
            case .words(let text): escape.write(text, into: &out)
            case .moment(let moment):
                let text = DateText.text(moment, in: program.language)
                Escape.none.write("<time datetime=\"\(moment)\" title=\"\(text)\">\(text)</time>", into: &out)
            }
        }
    }

    private mutating func number(_ field: Reference) -> Int? {
        guard let scope = scope(of: field), case .integer(let read) = program.readers[field.reader] else { return nil }
        return read(scope)
    }

    private mutating func holds(_ field: Reference) -> Bool {
        guard let scope = scope(of: field) else { return false }
        return switch program.readers[field.reader] {
        case .text(let read): read(scope) != nil
        case .words(let read): read(scope) != nil
        case .flag(let read): read(scope) ?? false
        case .list(let read): read(scope) { _ in false }
        case .group(let read): read(scope) != nil
        case .integer: true
        }
    }

    private mutating func runEach(_ field: Reference, _ body: Range<Int>, into out: inout [UInt8]) -> Bool {
        guard let scope = scope(of: field), case .list(let read) = program.readers[field.reader] else { return false }
        return read(scope) { row in
            scopes.append(row)
            run(body, into: &out)
            scopes.removeLast()
            return true
        }
    }

    private mutating func runWith(_ field: Reference, _ body: Range<Int>, into out: inout [UInt8]) -> Bool {
        guard let scope = scope(of: field), case .group(let read) = program.readers[field.reader],
            let group = read(scope)
        else { return false }
        scopes.append(group)
        run(body, into: &out)
        scopes.removeLast()
        return true
    }

    /// Returns the scope that has the field; nil if an optional group on the path is absent.
    private mutating func scope(of field: Reference) -> Scope? {
        var scope = scopes[field.level]
        guard field.way != 0 else { return scope }
        if field.level == 0, let known = groups[field.way] { return known }
        for reader in program.ways[field.way] {
            guard case .group(let read) = reader, let inner = read(scope) else { return nil }
            scope = inner
        }
        if field.level == 0 { groups[field.way] = scope }
        return scope
    }
}
