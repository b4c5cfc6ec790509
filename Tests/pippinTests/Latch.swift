import Synchronization
import TestSupport

/// Holds calls until it is opened.
final class Latch: Sendable {
    private let isOpen = Atomic(false)
    private let held = Atomic(0)
    private let left = Atomic(0)

    /// How many calls have come, and how many were let go.
    var count: Int { held.load(ordering: .acquiring) }
    var released: Int { left.load(ordering: .acquiring) }

    func open() { isOpen.store(true, ordering: .releasing) }

    func wait() {
        held.add(1, ordering: .releasing)
        try? blockUntil { isOpen.load(ordering: .acquiring) }
        left.add(1, ordering: .releasing)
    }
}
