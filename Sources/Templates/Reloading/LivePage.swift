/// A bound page that follows its template's edits, if its `Pages` watch the folder.
public struct LivePage<Page: View>: Sendable {
    private let bound: Bound<Page>
    private let rebinding: Rebinding<Page>?

    init(_ bound: Bound<Page>, _ rebinding: Rebinding<Page>?) {
        self.bound = bound
        self.rebinding = rebinding
    }

    /// The newest version without a fault.
    public func current() -> Bound<Page> {
        rebinding?.latest().bound ?? bound
    }

    /// What is wrong with the files as they are now; nil if `current` shows them.
    ///
    /// A development page can be shown instead of an old version that looks as if the edit had no effect.
    public func diagnostics() -> Diagnostics? {
        rebinding?.latest().diagnostics
    }
}
