import Synchronization

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
