import Synchronization

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
