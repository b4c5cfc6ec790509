import Synchronization

/// The pages of a folder of templates and a folder of texts, which follow edits of the files if watched.
///
/// Without watching, pages are bound once and later calls read no files.
public struct Pages: Sendable {
    private let templates: TemplateSet
    private let watch: FolderWatch?
    private let bindings = Bindings()

    /// Reads the folders.
    ///
    /// - Parameters:
    ///   - texts: the folder of texts; without it, text tags cannot be resolved.
    ///   - isWatching: whether to check for edits whenever a page is used, at most every 200 ms.
    /// - Throws: the files that cannot be read.
    public init(
        folder: String, texts: String? = nil, isWatching: Bool,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
    ) throws(Diagnostics) {
        let folders = PageFolders(templates: folder, texts: texts)
        let stamps = try folders.stamps()
        templates = try folders.read(stamps)
        watch = isWatching ? FolderWatch(folders, stamps, templates, now) : nil
    }

    /// The texts as read at the start, or the current ones if the folder is watched.
    public var texts: Translations {
        guard let watch, case .success(let current) = watch.latest().templates else { return templates.texts }
        return current.texts
    }

    /// Checks all pages and all texts; see `TemplateSet.check` and `Translations.check`.
    public func check(_ views: [any View.Type], _ areas: [TextArea] = []) throws(Diagnostics) {
        try templates.check(views)
        try templates.texts.check(areas)
    }

    /// Binds a page; the caller keeps the result.
    ///
    /// Each page type is bound once, and all event loops share the result.
    public func page<Page: View>(_ page: Page.Type) throws(Diagnostics) -> LivePage<Page> {
        if let known = bindings[page] { return known }
        let bound = try templates.bind(page)
        let live = LivePage(bound, watch.map { Rebinding(bound, $0) })
        bindings[page] = live
        return live
    }
}

/// Bound pages by type.
private final class Bindings: Sendable {
    private let pages = Mutex<[ObjectIdentifier: any Sendable]>([:])

    subscript<Page: View>(page: Page.Type) -> LivePage<Page>? {
        get { pages.withLock { $0[ObjectIdentifier(page)] as? LivePage<Page> } }
        set { pages.withLock { $0[ObjectIdentifier(page)] = newValue } }
    }
}
