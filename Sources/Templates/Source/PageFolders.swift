/// The folders of templates and texts.
struct PageFolders: Sendable {
    let templates: SourceFolder
    /// Nil for pages without texts.
    let texts: SourceFolder?

    /// File stamps of both folders, equal as long as no file is edited, added or removed.
    struct Stamps: Equatable, Sendable {
        var templates: [SourceFolder.Stamp] = []
        var texts: [SourceFolder.Stamp] = []
    }

    init(templates: String, texts: String?) {
        self.templates = SourceFolder(templates: templates)
        self.texts = texts.map(SourceFolder.init(texts:))
    }

    func stamps() throws(Diagnostics) -> Stamps {
        var stamps = Stamps(templates: try templates.stamps())
        if let texts { stamps.texts = try texts.stamps() }
        return stamps
    }

    func read(_ stamps: Stamps) throws(Diagnostics) -> TemplateSet {
        var catalogue = Translations()
        if let texts { catalogue = try Translations(texts, stamps.texts) }
        return try TemplateSet(templates, stamps.templates, catalogue)
    }
}
