import Core

/// The parsed templates of a folder, and the texts they use.
///
/// Syntax errors in a template are thrown when a page that uses it is bound.
public struct TemplateSet: Sendable {
    private let templates: [String: Template]
    let texts: Translations

    /// Reads every `.html` file below the folder and every `.txt` file below the folder of texts.
    ///
    /// - Throws: the files that cannot be read, but no syntax errors.
    public init(folder: String, texts: String? = nil) throws(Diagnostics) {
        let folders = PageFolders(templates: folder, texts: texts)
        self = try folders.read(folders.stamps())
    }

    /// Creates templates from memory: the content by name.
    public init(templates sources: [String: String], texts: Translations = Translations()) {
        self.texts = texts
        templates = sources.reduce(into: [:]) { templates, entry in
            templates[entry.key] = Template(Source(name: entry.key, bytes: Array(entry.value.utf8)))
        }
    }

    init(_ folder: SourceFolder, _ stamps: [SourceFolder.Stamp], _ texts: Translations) throws(Diagnostics) {
        self.texts = texts
        var templates: [String: Template] = [:]
        for stamp in stamps { templates[stamp.name] = Template(try folder.source(stamp.name)) }
        self.templates = templates
    }

    /// Checks a page's template against its fields and compiles it for each of its languages.
    public func bind<Page: View>(_ page: Page.Type) throws(Diagnostics) -> Bound<Page> {
        var programs: [Language: Program] = [:]
        var diagnostics = texts.diagnostics
        for language in page.languages {
            let outcome = outcome(of: page, in: language)
            programs[language] = outcome.program
            diagnostics.report(contentsOf: outcome.diagnostics)
        }
        guard diagnostics.all.isEmpty, let first = page.languages.first.flatMap({ programs[$0] }) else {
            throw diagnostics
        }
        return Bound(Language.allCases.map { programs[$0] ?? first })
    }

    /// Binds all pages and reports the syntax errors of unused templates; runs at start and in tests.
    public func check(_ views: [any View.Type]) throws(Diagnostics) {
        var diagnostics = texts.diagnostics
        for view in views {
            for language in view.languages {
                diagnostics.report(contentsOf: outcome(of: view, in: language).diagnostics)
            }
        }
        for name in templates.keys.sorted() {
            diagnostics.report(contentsOf: templates[name]?.diagnostics ?? Diagnostics())
        }
        guard diagnostics.all.isEmpty else { throw diagnostics }
    }

    /// Returns the declared fields that no template of these pages uses.
    ///
    /// A group shared by pages counts as used if one of them uses it. Pages with errors are only read up to the
    /// errors, so call `check` first.
    public func unusedFields(of views: [any View.Type]) -> [Diagnostic] {
        let used = views.reduce(into: Set<FieldUse>()) { $0.formUnion(outcome(of: $1, in: .english).used) }
        var unused = Diagnostics()
        for view in views {
            let location = Location(file: view.template + ".html", line: 1, column: 1)
            reportUnused(schema(of: view), used, location, into: &unused)
        }
        return unused.all
    }

    /// Keys of all texts that the templates use.
    public var textKeys: Set<String> {
        templates.values.reduce(into: []) { keys, template in
            for node in template.syntax.nodes { node.collectTextKeys(into: &keys) }
        }
    }

    private func outcome<Page: View>(of page: Page.Type, in language: Language) -> Binder.Outcome {
        Binder.bind(Page.template, Page.fields.schema, in: templates, texts, language)
    }

    private func schema<Page: View>(of page: Page.Type) -> Schema { Page.fields.schema }

    private func reportUnused(
        _ schema: Schema, _ used: Set<FieldUse>, _ location: Location, into unused: inout Diagnostics,
    ) {
        for field in schema.fields {
            guard used.contains(FieldUse(type: schema.type, name: field.name)) else {
                let found = "the field `\(field.name)` of \(schema.owner), which no template uses"
                unused.report(Diagnostic(at: location, found: found, expected: "`{{\(field.name)}}` somewhere"))
                continue
            }
            if let inner = field.kind.schema { reportUnused(inner, used, location, into: &unused) }
        }
    }
}

/// A parsed template: source, syntax tree and errors.
struct Template: Sendable {
    let source: Source
    let syntax: Syntax
    let diagnostics: Diagnostics

    init(_ source: Source) {
        self.source = source
        var parser = Parser(source)
        (syntax, diagnostics) = parser.parse()
    }
}
