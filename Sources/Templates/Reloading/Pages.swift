import Synchronization

/// The pages of a folder of templates and one of texts, which follow their files while somebody edits them.
///
/// Not watching, it hands out what was bound at the start and costs nothing after that.
public struct Pages: Sendable {
    private let templates: TemplateSet
    private let watch: FolderWatch?
    private let bindings = Bindings()

    /// Reads the folders.
    ///
    /// - Parameters:
    ///   - texts: where the catalogue is; without one, pages have no words but their templates'.
    ///   - isWatching: looks for edits whenever a page is asked for, at most every 200 ms.
    /// - Throws: what cannot be read.
    public init(
        folder: String,
        texts: String? = nil,
        isWatching: Bool,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
    ) throws(Diagnostics) {
        let folders = PageFolders(templates: folder, texts: texts)
        let stamps = try folders.stamps()
        templates = try folders.read(stamps)
        watch = isWatching ? FolderWatch(folders, stamps, templates, now) : nil
    }

    /// The catalogue as it was read, or as it is now while somebody edits it.
    public var texts: Texts {
        guard let watch, case .success(let current) = watch.latest().templates else { return templates.texts }
        return current.texts
    }

    /// Checks all pages and all texts at once: `TemplateSet.check`, `Texts.check`.
    public func check(_ views: [any View.Type], _ areas: [TextArea] = []) throws(Diagnostics) {
        try templates.check(views)
        try templates.texts.check(areas)
    }

    /// Binds one page, to be kept by whoever shows it.
    ///
    /// It is bound once, however many loops show it.
    public func page<Page: View>(_ page: Page.Type) throws(Diagnostics) -> LivePage<Page> {
        if let known = bindings[page] { return known }
        let bound = try templates.bind(page)
        let live = LivePage(bound, watch.map { Rebinding(bound, $0) })
        bindings[page] = live
        return live
    }
}

/// What each type of page is bound to.
private final class Bindings: Sendable {
    private let pages = Mutex<[ObjectIdentifier: any Sendable]>([:])

    subscript<Page: View>(page: Page.Type) -> LivePage<Page>? {
        get { pages.withLock { $0[ObjectIdentifier(page)] as? LivePage<Page> } }
        set { pages.withLock { $0[ObjectIdentifier(page)] = newValue } }
    }
}
