/// All templates of a folder, parsed.
///
/// A template that cannot be parsed stops the pages that use it, when they are bound.
public struct TemplateSet: Sendable {
    private let templates: [String: Template]

    /// Reads every `.html` below the folder; throws only if the folder or a file cannot be read.
    public init(folder: String) throws(Diagnostics) {
        let folder = TemplateFolder(path: folder)
        try self.init(folder, folder.stamps())
    }

    /// Templates from memory: text by name.
    public init(texts: [String: String]) {
        templates = texts.reduce(into: [:]) { templates, entry in
            templates[entry.key] = Template(Source(name: entry.key, bytes: Array(entry.value.utf8)))
        }
    }

    init(_ folder: TemplateFolder, _ stamps: [TemplateFolder.Stamp]) throws(Diagnostics) {
        var templates: [String: Template] = [:]
        for stamp in stamps {
            templates[stamp.name] = Template(Source(name: stamp.name, bytes: try folder.read(stamp.name)))
        }
        self.templates = templates
    }

    /// Checks a page's template against its fields and makes it ready to write.
    public func bind<Page: View>(_ page: Page.Type) throws(Diagnostics) -> Bound<Page> {
        let outcome = outcome(of: page)
        guard outcome.diagnostics.all.isEmpty else { throw outcome.diagnostics }
        return Bound(outcome.program)
    }

    /// Binds all pages and parses what none of them uses: the start and a test run this one check.
    public func check(_ views: [any View.Type]) throws(Diagnostics) {
        var diagnostics = Diagnostics()
        for view in views {
            diagnostics.report(contentsOf: outcome(of: view).diagnostics)
        }
        for name in templates.keys.sorted() {
            diagnostics.report(contentsOf: templates[name]?.diagnostics ?? Diagnostics())
        }
        guard diagnostics.all.isEmpty else { throw diagnostics }
    }

    /// Declared fields that no template of these pages uses.
    ///
    /// A group shared by pages counts as used where one of them uses it. Pages that do not bind are read
    /// as far as they go, so `check` comes first.
    public func unusedFields(of views: [any View.Type]) -> [Diagnostic] {
        let used = views.reduce(into: Set<FieldUse>()) { $0.formUnion(outcome(of: $1).used) }
        var unused = Diagnostics()
        for view in views {
            let location = Location(file: view.template + ".html", line: 1, column: 1)
            reportUnused(schema(of: view), used, location, into: &unused)
        }
        return unused.all
    }

    private func outcome<Page: View>(of page: Page.Type) -> Binder.Outcome {
        Binder.bind(Page.template, Page.fields.schema, in: templates)
    }

    private func schema<Page: View>(of page: Page.Type) -> Schema { Page.fields.schema }

    private func reportUnused(
        _ schema: Schema,
        _ used: Set<FieldUse>,
        _ location: Location,
        into unused: inout Diagnostics,
    ) {
        for field in schema.fields {
            guard used.contains(FieldUse(type: schema.type, name: field.name)) else {
                let found = "the field `\(field.name)` of \(schema.owner), which no template uses"
                unused.report(
                    Diagnostic(at: location, found: found, expected: "`{{\(field.name)}}` somewhere")
                )
                continue
            }
            if let inner = field.kind.schema { reportUnused(inner, used, location, into: &unused) }
        }
    }
}
