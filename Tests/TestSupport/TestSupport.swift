// TestSupport: what the tests of every module share.
//
// Owns: how long a test waits for what must happen.
// Must not know: any module of Pippin.

extension Duration {
    /// How long a test lets anything take that must happen: only what hangs takes longer, on however slow a machine.
    public static var testTimeout: Duration { .seconds(600) }
}
