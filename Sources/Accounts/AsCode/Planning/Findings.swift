import Core
import Registry

/// The changes of one team so far, and all errors of its entry.
struct Findings {
    private(set) var changes: [PlannedChange] = []
    private(set) var problems: [FieldError] = []

    mutating func add(_ change: PlannedChange) { changes.append(change) }

    mutating func note(_ field: String, _ refusal: ValidationError) { problems.append(FieldError(field, refusal)) }

    mutating func note(_ field: String, _ message: any LocalizedTextConvertible) {
        problems.append(FieldError(field: field, message: message))
    }

    /// The parsed value, or nil after collecting its errors under `path`.
    mutating func check<Value>(_ path: String, _ parse: () throws(InvalidFields) -> Value) -> Value? {
        do { return try parse() } catch {
            problems += error.all.map { $0.under(path) }
            return nil
        }
    }

    /// Adds an error for each element whose name occurred before, compared without regard to case.
    mutating func noteDuplicates(_ names: [(field: String, name: String)]) {
        var seen: Set<String> = []
        for (field, name) in names where !name.isEmpty && !seen.insert(name.lowercased()).inserted {
            note(field, .duplicate(name))
        }
    }
}
