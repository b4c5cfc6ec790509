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

/// Binds a page again after a change of the folder.
final class Rebinding<Page: View>: Sendable {
    struct State: Sendable {
        var generation: Int
        /// The latest version without errors.
        var bound: Bound<Page>
        var diagnostics: Diagnostics?
    }

    private let watch: FolderWatch
    private let state: Mutex<State>

    init(_ bound: Bound<Page>, _ watch: FolderWatch) {
        self.watch = watch
        // Generation 0 is the folder as read at the start, from which `bound` was made.
        state = Mutex(State(generation: 0, bound: bound))
    }

    func latest() -> State {
        let folder = watch.latest()
        return state.withLock { state in
            // Another thread may already have seen a newer generation.
            guard folder.generation > state.generation else { return state }
            state.generation = folder.generation
            do throws(Diagnostics) {
                state.bound = try folder.templates.get().bind(Page.self)
                state.diagnostics = nil
            } catch { state.diagnostics = error }
            return state
        }
    }
}

/// Detects edits of templates and texts on access, checking the files at most every 200 ms.
final class FolderWatch: Sendable {
    struct Snapshot: Sendable {
        /// Number of changes detected so far.
        var generation: Int
        var templates: Result<TemplateSet, Diagnostics>
    }

    private struct State: Sendable {
        var snapshot: Snapshot
        var stamps: PageFolders.Stamps
        var looked: ContinuousClock.Instant
    }

    static let pause = Duration.milliseconds(200)

    private let folders: PageFolders
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state: Mutex<State>

    init(
        _ folders: PageFolders, _ stamps: PageFolders.Stamps, _ templates: TemplateSet,
        _ now: @escaping @Sendable () -> ContinuousClock.Instant,
    ) {
        self.folders = folders
        self.now = now
        let snapshot = Snapshot(generation: 0, templates: .success(templates))
        state = Mutex(State(snapshot: snapshot, stamps: stamps, looked: now()))
    }

    /// Returns the current content of the folders, at most 200 ms old.
    ///
    /// Reads the files under the lock because concurrent callers would have to read the same files.
    func latest() -> Snapshot {
        state.withLock { state in
            let now = now()
            guard state.looked.duration(to: now) >= Self.pause else { return state.snapshot }
            state.looked = now
            do throws(Diagnostics) {
                let stamps = try folders.stamps()
                guard stamps != state.stamps else { return state.snapshot }
                state.snapshot.generation += 1
                state.snapshot.templates = .success(try folders.read(stamps))
                state.stamps = stamps
            } catch {
                // The state of the files is unknown, so the next check reads them again.
                state.stamps = PageFolders.Stamps()
                state.snapshot.generation += 1
                state.snapshot.templates = .failure(error)
            }
            return state.snapshot
        }
    }
}

/// A bound page that follows edits of its template, if its `Pages` watch the folder.
public struct LivePage<Page: View>: Sendable {
    private let bound: Bound<Page>
    private let rebinding: Rebinding<Page>?

    init(_ bound: Bound<Page>, _ rebinding: Rebinding<Page>?) {
        self.bound = bound
        self.rebinding = rebinding
    }

    /// Returns the latest version without errors.
    public func current() -> Bound<Page> { rebinding?.latest().bound ?? bound }

    /// Returns the errors in the current files; nil if `current` shows them.
    ///
    /// In development, show them instead of an old version of the page, which would look as if the edit had no effect.
    public func diagnostics() -> Diagnostics? { rebinding?.latest().diagnostics }
}
