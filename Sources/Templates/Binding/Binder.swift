import Core

/// Compiles a page's template with its layouts and partials into a program, checking names against the page's fields.
struct Binder {
    private let templates: [String: Template]
    let texts: Translations
    let language: Language
    var builder: ProgramBuilder
    var diagnostics = Diagnostics()
    var html = HTMLTokenizer()
    var names: NameScope
    private(set) var used: Set<FieldUse> = []
    /// The page's template, its layout, that layout's layout, and so on.
    private var chain: [Template] = []
    /// The template that is being bound.
    private(set) var source: Source
    /// Index of the current template in `chain`; nil inside a partial.
    private var link: Int? = 0
    /// Names of the partials around the current position.
    private var trail: [String] = []
    private var depth = 0
    private var nodesLeft = TemplateLimit.expandedNodes
    private var bytesLeft = TemplateLimit.expandedBytes
    /// Start of the tag, comment or raw text around the current position.
    private var markupStart: (source: Source, offset: Int)?

    /// Result of binding a page.
    struct Outcome {
        let program: Program
        let used: Set<FieldUse>
        let diagnostics: Diagnostics
    }

    static func bind(
        _ name: String, _ schema: Schema, in templates: [String: Template], _ texts: Translations, _ language: Language
    ) -> Outcome {
        var binder = Binder(name, schema, templates, texts, language)
        binder.run(name, schema)
        return Outcome(program: binder.builder.program, used: binder.used, diagnostics: binder.diagnostics)
    }

    private init(
        _ name: String, _ schema: Schema, _ templates: [String: Template], _ texts: Translations, _ language: Language
    ) {
        self.templates = templates
        self.texts = texts
        self.language = language
        builder = ProgramBuilder(language, texts)
        names = NameScope(schema)
        source = Source(name: name, bytes: [])
    }

    private mutating func run(_ name: String, _ schema: Schema) {
        reportMisdeclared(schema)
        guard let page = templates[name] else {
            let hint = NearestName.of(name, among: Array(templates.keys.sorted()))
            return report(0, found: "no such template, which \(schema.owner) asks for", expected: "a file", hint)
        }
        guard collectChain(from: page), let outermost = chain.last else { return }
        link = chain.count - 1
        source = outermost.source
        bind(outermost.syntax.nodes)
        if html.place != .text, diagnostics.all.isEmpty, let markupStart {
            let found = "markup that does not end: the page ends \(html.description)"
            source = markupStart.source
            report(markupStart.offset, found: found, expected: "its end in the page")
        }
    }

    /// Collects the layouts from the page outward; returns false if there were errors.
    private mutating func collectChain(from page: Template) -> Bool {
        var next: Template? = page
        while let template = next {
            chain.append(template)
            source = template.source
            diagnostics.report(contentsOf: template.diagnostics)
            next = nil
            if chain.count > 1, template.syntax.content == nil, template.diagnostics.all.isEmpty {
                report(0, found: "a layout without `{{content}}`", expected: "`{{content}}` where the page goes")
            }
            if let layout = template.syntax.layout {
                next = find(layout.name, "layout", at: layout.offset)
                if chain.contains(where: { $0.source.name == layout.name }) {
                    report(
                        layout.offset, found: "the layout `\(layout.name)` inside itself", expected: "layouts that end")
                    next = nil
                }
            }
        }
        return diagnostics.all.isEmpty
    }

    mutating func bind(_ nodes: [Node]) {
        guard depth < TemplateLimit.expandedNesting else {
            let found = "more than \(TemplateLimit.expandedNesting) blocks and partials inside each other"
            return report(0, found: found, expected: "fewer")
        }
        depth += 1
        for node in nodes where !diagnostics.isFull && spend(on: node) { bind(node) }
        depth -= 1
    }

    /// Counts a node against the size limits of the page; reports an error when a limit is reached.
    private mutating func spend(on node: Node) -> Bool {
        guard nodesLeft > 0, bytesLeft > 0 else { return false }
        nodesLeft -= 1
        switch node {
        case .literal(let range): bytesLeft -= range.count
        case .text(let text): bytesLeft -= texts.entry(text.key, in: language)?.byteCount ?? 0
        case .value, .content, .partial, .block: break
        }
        guard nodesLeft <= 0 || bytesLeft <= 0 else { return true }
        let found = "a page of more than \(TemplateLimit.expandedNodes) pieces or \(TemplateLimit.expandedBytes) bytes"
        report(0, found: found, expected: "fewer partials inside partials")
        return false
    }

    private mutating func bind(_ node: Node) {
        switch node {
        case .literal(let range): bindLiteral(range)
        case .value(let path): bindValue(path)
        case .text(let tag): BoundText(tag, in: &self)?.write(to: &self)
        case .content(let offset): bindContent(at: offset)
        case .partial(let partial): bindPartial(partial)
        case .block(let block): bindBlock(block)
        }
    }

    private mutating func bindLiteral(_ range: Range<Int>) {
        for offset in range {
            let wasText = html.place == .text
            do throws(HTMLTokenizer.Complaint) { try html.advance(source.bytes[offset]) } catch .runsOn {
                let found = "text that runs on where a branch before it may end in a name"
                report(offset, found: found, expected: "a space, `/` or `>`")
            } catch {
                let found = "`http-equiv=\"refresh\"` after a `content` with a value"
                report(offset, found: found, expected: "`http-equiv` before `content`")
            }
            if wasText, html.place != .text { markupStart = (source, offset) }
        }
        builder.literal(source.bytes[range])
    }

    private mutating func bindValue(_ path: Path) {
        defer { html.passValue() }
        guard let match = find(path) else { return }
        switch match.kind {
        case .text, .optionalText, .words, .optionalWords, .integer, .html, .url:
            do throws(ValueMismatch) {
                let escape = try html.escape(for: match.kind)
                builder.value(builder.reference(to: match), escape)
            } catch { report(path.offset, found: error.found + ": `\(path.text)`", expected: error.expected) }
        case .flag, .list, .group, .optionalGroup:
            let expected = "a text, a number, a SafeURL or a SafeHTML"
            report(path.offset, found: "`\(path.text)`, which is \(match.kind.noun)", expected: expected)
        }
    }

    private mutating func bindContent(at offset: Int) {
        guard let link, link > 0 else {
            let what = self.link == nil ? "a partial" : "a page that is no layout"
            return report(offset, found: "`{{content}}` in \(what)", expected: "it in a layout")
        }
        bindTemplate(chain[link - 1], as: link - 1)
    }

    private mutating func bindPartial(_ partial: Partial) {
        guard let group = partial.group else { return expand(partial) }
        bindWith(group) { $0.expand(partial) }
    }

    private mutating func expand(_ partial: Partial) {
        guard let template = find(partial.name, "partial", at: partial.offset) else { return }
        guard !trail.contains(partial.name) else {
            let loop = (trail.drop { $0 != partial.name } + [partial.name]).joined(separator: " → ")
            return report(partial.offset, found: "a partial inside itself (\(loop))", expected: "partials that end")
        }
        guard template.diagnostics.all.isEmpty else { return diagnostics.report(contentsOf: template.diagnostics) }
        if let layout = template.syntax.layout {
            let location = template.source.location(at: layout.offset)
            let found = "`{{layout}}` in a partial"
            diagnostics.report(Diagnostic(at: location, found: found, expected: "it in a page or a layout"))
        }
        trail.append(partial.name)
        bindTemplate(template, as: nil)
        trail.removeLast()
    }

    private mutating func bindTemplate(_ template: Template, as newLink: Int?) {
        let (outerSource, outerLink) = (source, link)
        (source, link) = (template.source, newLink)
        bind(template.syntax.nodes)
        (source, link) = (outerSource, outerLink)
    }
}

extension Binder {
    /// Returns the field of a path, or nil after reporting an error.
    mutating func find(_ path: Path) -> NameScope.Match? {
        do throws(NameScope.Failure) {
            let match = try names.find(path)
            used.insert(FieldUse(type: match.type, name: match.field.name))
            return match
        } catch {
            switch error {
            case .unreported: break
            case .unknown(let name, let owner, let known):
                let listed = known.prefix(12).joined(separator: ", ") + (known.count > 12 ? ", …" : "")
                let expected = known.isEmpty ? "no name: \(owner) has none" : "a name of \(owner): \(listed)"
                let hint = NearestName.of(name, among: known)
                report(path.offset, found: "the unknown name `\(name)`", expected: expected, hint)
            case .notAGroup(let name, let kind):
                let found = "`\(path.text)`, where `\(name)` is \(kind.noun)"
                report(path.offset, found: found, expected: "a group before the `.`")
            }
            return nil
        }
    }

    mutating func report(_ offset: Int, found: String, expected: String, _ hint: String? = nil) {
        let location = source.location(at: offset)
        diagnostics.report(Diagnostic(at: location, found: found, expected: expected, hint: hint))
    }

    private mutating func find(_ name: String, _ role: String, at offset: Int) -> Template? {
        if let template = templates[name] { return template }
        let hint = NearestName.of(name, among: templates.keys.sorted())
        let found = "the \(role) `\(name)`, which does not exist"
        report(offset, found: found, expected: "the path of a template without `.html`", hint)
        return nil
    }

    private mutating func reportMisdeclared(_ schema: Schema) {
        for (name, reason) in schema.misdeclared {
            report(0, found: "the field `\(name)` of \(schema.owner), \(reason)", expected: "names of their own")
        }
        for field in schema.fields { if let inner = field.kind.schema { reportMisdeclared(inner) } }
    }
}

extension Binder {
    mutating func bindBlock(_ block: Block) {
        switch block.kind {
        case .if: bindIf(block)
        case .each: bindEach(block)
        case .with: bindWith(block.arms[0].condition.path, block) { $0.bind(block.arms[0].nodes) }
        }
    }

    private mutating func bindIf(_ block: Block) {
        let start = html
        var ends: [HTMLTokenizer] = []
        var jumps: [Int] = []
        for (index, arm) in block.arms.enumerated() {
            html = start
            let match = findCondition(arm.condition.path)
            let test = builder.reserve()
            bind(arm.nodes)
            ends.append(html)
            if index < block.arms.count - 1 || !block.otherwise.isEmpty { jumps.append(builder.reserve()) }
            let otherwise = builder.label()
            guard let match else { continue }
            let isNegated = arm.condition.isNegated
            builder.fill(test, .test(builder.reference(to: match), isNegated: isNegated, otherwise: otherwise))
        }
        html = start
        bind(block.otherwise)
        ends.append(html)
        let exit = builder.label()
        for jump in jumps { builder.fill(jump, .jump(exit)) }
        join(ends, of: block)
    }

    private mutating func findCondition(_ path: Path) -> NameScope.Match? {
        guard let match = find(path) else { return nil }
        switch match.kind {
        case .flag, .optionalText, .optionalWords, .list, .optionalGroup: return match
        case .text, .words, .integer, .html, .url, .group:
            let expected = "a flag, an optional text, a list or an optional group"
            report(path.offset, found: "`{{#if}}` over \(match.kind.noun): `\(path.text)`", expected: expected)
            return nil
        }
    }

    private mutating func bindEach(_ block: Block) {
        let path = block.arms[0].condition.path
        let match = findList(path)
        let each = builder.reserve()
        let start = html
        names.enter(match?.kind.schema)
        let loopEnd = bindRepeated(block)
        names.leave()
        let end = builder.label()
        html = start
        bind(block.otherwise)
        let exit = builder.label()
        if let match { builder.fill(each, .each(builder.reference(to: match), end: end, exit: exit)) }
        join([loopEnd, html], of: block)
    }

    private mutating func findList(_ path: Path) -> NameScope.Match? {
        guard let match = find(path) else { return nil }
        if case .list = match.kind { return match }
        let found = "`{{#each}}` over \(match.kind.noun): `\(path.text)`"
        report(path.offset, found: found, expected: "a list")
        return nil
    }

    /// Binds the body of a loop so that it is correct for the first row and for every later row.
    ///
    /// If the body ends in another HTML state than it began in, it is bound again from the state that covers both, and
    /// must end in a state that the joined one covers.
    private mutating func bindRepeated(_ block: Block) -> HTMLTokenizer {
        let start = html
        let (mark, reported) = (builder.mark, diagnostics.all.count)
        bind(block.arms[0].nodes)
        guard let entry = start.joined(with: html) else {
            reportApart(start, html, of: block)
            return start
        }
        guard entry != start else { return entry }
        builder.goBack(to: mark)
        diagnostics.truncate(to: reported)
        html = entry
        bind(block.arms[0].nodes)
        if entry.joined(with: html) != entry { reportApart(entry, html, of: block) }
        return entry
    }

    /// Binds a `with` block and its `else`, or a partial inside a group, which has no `else`.
    mutating func bindWith(_ path: Path, _ block: Block? = nil, _ body: (inout Binder) -> Void) {
        let match = findGroup(path)
        let with = builder.reserve()
        let start = html
        names.enter(match?.kind.schema)
        body(&self)
        names.leave()
        let inside = html
        let end = builder.label()
        html = start
        bind(block?.otherwise ?? [])
        let exit = builder.label()
        if let match { builder.fill(with, .with(builder.reference(to: match), end: end, exit: exit)) }
        let isAlwaysThere = if case .group? = match?.kind { true } else { false }
        join(isAlwaysThere ? [inside] : [inside, html], of: block, at: path)
    }

    private mutating func findGroup(_ path: Path) -> NameScope.Match? {
        guard let match = find(path) else { return nil }
        switch match.kind {
        case .group, .optionalGroup: return match
        default:
            report(path.offset, found: "`with` over \(match.kind.noun): `\(path.text)`", expected: "a group")
            return nil
        }
    }

    /// Continues from the HTML state in which all branches end; reports an error if they have none in common.
    private mutating func join(_ ends: [HTMLTokenizer], of block: Block?, at path: Path? = nil) {
        var joined = ends[0]
        for end in ends.dropFirst() {
            guard let both = joined.joined(with: end) else {
                reportApart(joined, end, of: block, at: path)
                break
            }
            joined = both
        }
        html = joined
    }

    private mutating func reportApart(
        _ one: HTMLTokenizer, _ other: HTMLTokenizer, of block: Block?, at path: Path? = nil,
    ) {
        let what = block.map { "`{{#\($0.kind)}}`" } ?? "`with`"
        let places = "\(one.description) and \(other.description)"
        let found = "\(what) whose ways end in different places of the HTML: \(places)"
        report(block?.offset ?? path?.offset ?? 0, found: found, expected: "one place")
    }
}
