import Synchronization

/// Whether calls to other servers and mail may leave: not in the copy of an installation, whose users know the original.
public final class OutgoingGate: Sendable {
    private let closed = Atomic(false)

    public init() {}

    /// Whether calls fail with `ClientFailure.copy`.
    public var isClosed: Bool {
        get { closed.load(ordering: .relaxed) }
        set { closed.store(newValue, ordering: .relaxed) }
    }

    func expectOpen() throws(ClientFailure) { if isClosed { throw .copy } }
}
