/// Where a value stands in a form or in a file: names of members, and positions in lists.
///
///     FieldPath("teams")[0]["returnURLs"][1]     // teams[0].returnURLs[1]
public struct FieldPath: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    private enum Step: Hashable, Sendable {
        case member(String)
        case element(Int)
    }

    /// The form or the file itself.
    public static let whole = FieldPath(steps: [])

    private let steps: [Step]

    private init(steps: [Step]) { self.steps = steps }

    /// The member of this name.
    public init(_ name: String) { steps = [.member(name)] }

    public init(stringLiteral name: String) { self.init(name) }

    /// A member of the object at this path.
    public subscript(_ name: String) -> FieldPath { FieldPath(steps: steps + [.member(name)]) }

    /// An element of the list at this path, counted from 0.
    public subscript(_ position: Int) -> FieldPath { FieldPath(steps: steps + [.element(position)]) }

    /// The path within what stands at `prefix`.
    public func under(_ prefix: FieldPath) -> FieldPath { FieldPath(steps: prefix.steps + steps) }

    /// What the value stands in, from the nearest to the whole.
    public var ancestors: [FieldPath] { steps.indices.reversed().map { FieldPath(steps: Array(steps.prefix($0))) } }

    /// Name of the first member, which a form has its field for; empty for the whole.
    public var name: String { if case .member(let name)? = steps.first { name } else { "" } }

    /// Position of the element in its list; nil for a member.
    public var position: Int? { if case .element(let position)? = steps.last { position } else { nil } }

    public var description: String {
        var text = ""
        for step in steps {
            switch step {
            case .member(let name): text += text.isEmpty ? name : ".\(name)"
            case .element(let position): text += "[\(position)]"
            }
        }
        return text
    }
}
