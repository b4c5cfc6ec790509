import Core

/// A text tag with the text in the binder's language and its resolved arguments.
struct BoundText {
    private enum Argument {
        case path(NameScope.Match)
        case literal(String)
    }

    private let tag: TextTag
    private let entry: TextEntry
    private var arguments: [String: Argument] = [:]

    /// Nil, after reporting errors, if there is no such text, if it may not stand here, or if an argument is unknown,
    /// missing or wrong.
    init?(_ tag: TextTag, in binder: inout Binder) {
        guard let entry = binder.texts.entry(tag.key, in: binder.language) else {
            Self.reportMissing(tag, in: &binder)
            return nil
        }
        (self.tag, self.entry) = (tag, entry)
        guard isAllowed(in: &binder) else { return nil }
        let reported = binder.diagnostics.all.count
        resolveArguments(in: &binder)
        guard binder.diagnostics.all.count == reported else { return nil }
    }

    /// Writes the text: its words become literals, its arguments become values.
    func write(to binder: inout Binder) {
        guard entry.isPlural, case .path(let count)? = arguments["count"] else {
            return write(entry.forms[.other] ?? [], to: &binder)
        }
        var exits: [Int] = []
        let categories = binder.language.pluralCategories
        for category in categories.dropLast() {
            let test = binder.builder.reserve()
            write(entry.forms[category] ?? [], to: &binder)
            exits.append(binder.builder.reserve())
            let (reference, otherwise) = (binder.builder.reference(to: count), binder.builder.label())
            binder.builder.fill(test, .form(category, of: reference, otherwise: otherwise))
        }
        write(categories.last.flatMap { entry.forms[$0] } ?? [], to: &binder)
        let exit = binder.builder.label()
        for jump in exits { binder.builder.fill(jump, .jump(exit)) }
    }

    /// Whether text is allowed at the current position of the HTML; reports an error if not.
    private func isAllowed(in binder: inout Binder) -> Bool {
        do throws(ValueMismatch) {
            guard [.markup, .attribute, .heading].contains(try binder.html.escape(for: .text)) else {
                throw ValueMismatch(found: "words in a URL", expected: "a value there")
            }
            return true
        } catch {
            binder.report(tag.offset, found: error.found + ": the text `\(tag.key)`", expected: error.expected)
            return false
        }
    }

    private mutating func resolveArguments(in binder: inout Binder) {
        for argument in tag.arguments {
            guard entry.arguments.contains(argument.name) || argument.name == "count" else {
                let names = entry.arguments.sorted().map { "{\($0)}" }.joined(separator: ", ")
                let expected = names.isEmpty ? "no argument" : "one of \(names)"
                let what = "the argument `\(argument.name)`, which `\(tag.key)` has no placeholder for"
                binder.report(argument.offset, found: what, expected: expected)
                continue
            }
            arguments[argument.name] = Self.resolve(argument, in: &binder)
        }
        let needed = entry.arguments.union(entry.needsCount ? ["count"] : [])
        for name in needed.subtracting(tag.arguments.map(\.name)).sorted() {
            let what = "the text `\(tag.key)` without its argument `\(name)`"
            binder.report(tag.offset, found: what, expected: "`\(name)=path`")
        }
    }

    private static func resolve(_ argument: TextTag.Argument, in binder: inout Binder) -> Argument? {
        switch argument.value {
        case .literal(let text):
            guard argument.name == "count" else { return .literal(text) }
            binder.report(argument.offset, found: "`count` as a text", expected: "a number")
            return nil
        case .path(let path):
            guard let match = binder.find(path) else { return nil }
            switch match.kind {
            case .integer: return .path(match)
            case .text, .optionalText, .words, .optionalWords, .url: if argument.name != "count" { return .path(match) }
            case .flag, .html, .list, .group, .optionalGroup: break
            }
            let expected = argument.name == "count" ? "a number" : "a text or a number"
            binder.report(path.offset, found: "`\(path.text)`, which is \(match.kind.noun)", expected: expected)
            return nil
        }
    }

    private func write(_ pieces: [TextPiece], to binder: inout Binder) {
        if binder.html.place != .text, pieces.contains(where: \.isMarkup) {
            let found = "the text `\(tag.key)`, which has markup, \(binder.html.description)"
            return binder.report(tag.offset, found: found, expected: "it in text")
        }
        for piece in pieces {
            switch piece {
            case .words(let words):
                var bytes: [UInt8] = []
                (binder.html.isInHeading ? Escape.heading : .markup).write(words, into: &bytes)
                binder.builder.literal(bytes[...])
            case .markup(let markup): Self.advance(markup, &binder)
            case .argument(let name): writeArgument(name, to: &binder)
            case .link(let name):
                Self.advance("<a href=\"", &binder)
                writeArgument(name, to: &binder)
                Self.advance("\">", &binder)
            }
        }
        binder.html.passValue()
    }

    /// Writes an argument with the same escaping as a value at this position.
    private func writeArgument(_ name: String, to binder: inout Binder) {
        guard let argument = arguments[name] else { return }
        do throws(ValueMismatch) {
            switch argument {
            case .literal(let text):
                var bytes: [UInt8] = []
                try binder.html.escape(for: .text).write(text, into: &bytes)
                binder.builder.literal(bytes[...])
            case .path(let match):
                let escape = try binder.html.escape(for: match.kind)
                let reference = binder.builder.reference(to: match)
                if case .integer = match.kind {
                    binder.builder.number(reference)
                } else {
                    binder.builder.value(reference, escape)
                }
            }
        } catch { preconditionFailure("a text's own markup holds its values: \(describing: error)") }
        binder.html.passValue()
    }

    /// Appends markup of a text as literal bytes.
    ///
    /// The text parser accepts only whole tags, and `write` checks that the position is text, so this cannot fail.
    private static func advance(_ markup: String, _ binder: inout Binder) {
        for byte in markup.utf8 {
            do throws(HTMLTokenizer.Complaint) { try binder.html.advance(byte) } catch {
                preconditionFailure("a text's own markup begins in text: \(describing: error)")
            }
        }
        binder.builder.literal(Array(markup.utf8)[...])
    }

    private static func reportMissing(_ tag: TextTag, in binder: inout Binder) {
        let (texts, language) = (binder.texts, binder.language)
        // A key that English lacks too is probably misspelt, so a similar key is suggested.
        let isNowhere = texts.entry(tag.key, in: .english) == nil
        let hint = isNowhere ? NearestName.of(tag.key, among: texts.keys(in: .english).sorted()) : nil
        let found = "the text `\(tag.key)`, which \(isNowhere ? "no file has" : "\(language.tag) lacks")"
        let file = tag.key.split(separator: ".").prefix(2).joined(separator: "/")
        binder.report(tag.offset, found: found, expected: "a line in Texts/\(language.tag)/\(file).txt", hint)
    }
}
