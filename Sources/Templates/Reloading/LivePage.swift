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
