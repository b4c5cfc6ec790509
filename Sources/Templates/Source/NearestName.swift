/// Suggests a known name for a misspelt one.
enum NearestName {
    /// Returns the known name with the fewest edits from `name`, at most a third of its length (at least 2).
    static func of(_ name: String, among known: [String]) -> String? {
        let wanted = Array(name.utf8.prefix(TemplateLimit.nameBytes))
        let bound = max(2, wanted.count / 3)
        var best: (name: String, distance: Int)?
        for candidate in known {
            let distance = distance(wanted, Array(candidate.utf8.prefix(TemplateLimit.nameBytes)))
            if distance <= bound, distance < max(wanted.count, 2), distance < best?.distance ?? .max {
                best = (candidate, distance)
            }
        }
        return best?.name
    }

    /// Levenshtein distance, ignoring case.
    private static func distance(_ one: [UInt8], _ other: [UInt8]) -> Int {
        var row = Array(0...other.count)
        for (index, byte) in one.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in other.indices {
                let substituted = diagonal + (byte.lowercased == other[column].lowercased ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(substituted, diagonal + 1, row[column] + 1)
            }
        }
        return row[other.count]
    }
}
