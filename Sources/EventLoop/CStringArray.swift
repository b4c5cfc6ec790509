import Glibc

/// Null-terminated arrays of C strings, as `exec` and libpq take them, valid during a call.
public enum CStringArray {
    /// Calls `body` with copies of the strings; nil ends an array early or is a null value.
    public static func with<Result>(_ strings: [String?], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result)
        -> Result
    {
        unsafe withMutable(strings) { pointers in
            unsafe body(UnsafeRawPointer(pointers).assumingMemoryBound(to: UnsafePointer<CChar>?.self))
        }
    }

    /// Passes the strings as mutable, which `posix_spawn` declares but does not change (POSIX, exec, rationale).
    public static func withMutable<Result>(
        _ strings: [String?], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        let copies = unsafe strings.map { string in unsafe string.flatMap { unsafe strdup($0) } } + [nil]
        defer { unsafe copies.forEach { unsafe free($0) } }
        return unsafe copies.withUnsafeBufferPointer { copies in
            guard let start = copies.baseAddress else { preconditionFailure("the array holds its end") }
            return unsafe body(start)
        }
    }
}
