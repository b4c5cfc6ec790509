import Glibc
import Registry

/// Environment of the process; an empty variable counts as unset.
enum Environment {
    /// All variables, as `name=value`.
    static var lines: [String] {
        var lines: [String] = []
        var place = unsafe environ
        while let line = unsafe place.pointee {
            unsafe lines.append(String(cString: line))
            unsafe place += 1
        }
        return lines
    }

    static func value(_ name: String) -> String? {
        unsafe getenv(name).map { unsafe String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }
}
