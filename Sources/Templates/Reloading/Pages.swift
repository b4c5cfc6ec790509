/// The pages of a template folder, which follow its files while somebody edits them.
///
/// Not watching, it hands out what was bound at the start and costs nothing after that.
public struct Pages: Sendable {
    private let templates: TemplateSet
    private let watch: FolderWatch?

    /// Reads the folder.
    ///
    /// - Parameter isWatching: looks for edits whenever a page is asked for, at most every 200 ms.
    /// - Throws: what cannot be read.
    public init(
        folder: String,
        isWatching: Bool,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
    ) throws(Diagnostics) {
        let folder = TemplateFolder(path: folder)
        let stamps = try folder.stamps()
        templates = try TemplateSet(folder, stamps)
        watch = isWatching ? FolderWatch(folder, stamps, templates, now) : nil
    }

    /// Checks all pages at once: `TemplateSet.check`.
    public func check(_ views: [any View.Type]) throws(Diagnostics) {
        try templates.check(views)
    }

    /// Binds one page, to be kept by whoever shows it.
    public func page<Page: View>(_ page: Page.Type) throws(Diagnostics) -> LivePage<Page> {
        let bound = try templates.bind(page)
        return LivePage(bound, watch.map { Rebinding(bound, $0) })
    }
}
