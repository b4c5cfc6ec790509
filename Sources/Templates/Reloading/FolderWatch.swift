import Synchronization

/// Looks for edits in a template folder, at most every 200 ms, when asked.
final class FolderWatch: Sendable {
    struct Snapshot: Sendable {
        /// Counts the changes seen.
        var generation: Int
        var templates: Result<TemplateSet, Diagnostics>
    }

    private struct State: Sendable {
        var snapshot: Snapshot
        var stamps: [TemplateFolder.Stamp]
        var looked: ContinuousClock.Instant
    }

    static let pause = Duration.milliseconds(200)

    private let folder: TemplateFolder
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state: Mutex<State>

    init(
        _ folder: TemplateFolder,
        _ stamps: [TemplateFolder.Stamp],
        _ templates: TemplateSet,
        _ now: @escaping @Sendable () -> ContinuousClock.Instant,
    ) {
        self.folder = folder
        self.now = now
        let snapshot = Snapshot(generation: 0, templates: .success(templates))
        state = Mutex(State(snapshot: snapshot, stamps: stamps, looked: now()))
    }

    /// The folder as it is, or was less than 200 ms ago.
    ///
    /// Reads under the lock: whoever comes meanwhile would have to read the same files.
    func latest() -> Snapshot {
        state.withLock { state in
            let now = now()
            guard state.looked.duration(to: now) >= Self.pause else { return state.snapshot }
            state.looked = now
            do throws(Diagnostics) {
                let stamps = try folder.stamps()
                guard stamps != state.stamps else { return state.snapshot }
                state.snapshot.generation += 1
                state.snapshot.templates = .success(try TemplateSet(folder, stamps))
                state.stamps = stamps
            } catch {
                // Nothing is known of the files now, so the next look reads them again.
                state.stamps = []
                state.snapshot.generation += 1
                state.snapshot.templates = .failure(error)
            }
            return state.snapshot
        }
    }
}
