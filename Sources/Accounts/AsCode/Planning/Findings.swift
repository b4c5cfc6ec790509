import Core
import Registry

/// The changes of one team so far, and all errors of its entry.
struct Findings {
    private(set) var changes: [PlannedChange] = []
    var errors = FieldErrors()

    mutating func add(_ change: PlannedChange) { changes.append(change) }

    /// Adds an error for each element whose name occurred before, compared without regard to case.
    mutating func noteDuplicates(_ names: [(path: FieldPath, name: String)]) {
        var seen: Set<String> = []
        for (path, name) in names where !name.isEmpty && !seen.insert(name.lowercased()).inserted {
            errors.add(path, .duplicate(name))
        }
    }
}
