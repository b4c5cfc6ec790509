import Synchronization

/// Looks for edits of templates and texts, at most every 200 ms, when asked.
final class FolderWatch: Sendable {
    struct Snapshot: Sendable {
        /// Counts the changes seen.
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
        _ folders: PageFolders,
        _ stamps: PageFolders.Stamps,
        _ templates: TemplateSet,
        _ now: @escaping @Sendable () -> ContinuousClock.Instant,
    ) {
        self.folders = folders
        self.now = now
        let snapshot = Snapshot(generation: 0, templates: .success(templates))
        state = Mutex(State(snapshot: snapshot, stamps: stamps, looked: now()))
    }

    /// The folders as they are, or were less than 200 ms ago.
    ///
    /// Reads under the lock: whoever comes meanwhile would have to read the same files.
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
                // Nothing is known of the files now, so the next look reads them again.
                state.stamps = PageFolders.Stamps()
                state.snapshot.generation += 1
                state.snapshot.templates = .failure(error)
            }
            return state.snapshot
        }
    }
}
