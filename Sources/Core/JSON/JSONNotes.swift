/// What is noted of a document while it is read: members that it has twice, and where what is asked for stands.
public struct JSONNotes: Sendable {
    /// Path of what is read.
    public private(set) var path = FieldPath.whole
    /// Members that stand in their object a second time; the last value counts.
    public private(set) var duplicates: [FieldPath] = []
    /// Offsets of what is asked for: of a member its name.
    public private(set) var offsets: [FieldPath: Int] = [:]
    private let wanted: Set<FieldPath>
    /// Offset of the part that a reader has.
    var base = 0

    public init(of wanted: Set<FieldPath> = []) { self.wanted = wanted }

    /// Goes to a member, until `leave`.
    ///
    /// - Returns: the path before.
    public mutating func enter(_ name: String, at offset: Int) -> FieldPath { enter(path[name], base + offset) }

    /// Goes to an element of a list, until `leave`.
    public mutating func enter(_ position: Int, at offset: Int) -> FieldPath { enter(path[position], base + offset) }

    private mutating func enter(_ inner: FieldPath, _ offset: Int) -> FieldPath {
        defer { path = inner }
        if wanted.contains(inner) { offsets[inner] = offset }
        return path
    }

    public mutating func leave(to path: FieldPath?) { if let path { self.path = path } }

    /// Notes that the member at the path is there a second time.
    public mutating func noteDuplicate() { duplicates.append(path) }
}
