/// Work that waits, in a line for each of those whose work it is.
///
/// The next place goes to the owner with the fewest under way, and among equals in turn; so a long line delays itself.
public struct FairQueue<Element> {
    private let limit: Int
    private var lines: [String: Queue<Element>] = [:]
    /// Whose lines are not empty, in the order of their turns.
    private var turns: [String] = []
    private var underWay: [String: Int] = [:]
    public private(set) var count = 0

    /// - Parameter limit: how many elements may wait in all lines together.
    public init(limit: Int) {
        self.limit = limit
    }

    /// What became of an element.
    public enum Admission {
        case accepted
        /// Accepted, in the place of the last one of the longest line.
        case displacing(Element)
        case refused
    }

    /// Puts an element at the end of the line of `owner`.
    ///
    /// One alone may fill all places. Once another comes, the longest line gives up its last one for it, if the newcomer's
    /// line is shorter by two or more; else the newcomer is refused, since lines of the same length have the same right.
    public mutating func append(_ element: Element, of owner: String) -> Admission {
        guard count >= limit else {
            enter(element, owner)
            return .accepted
        }
        guard let longest = turns.max(by: { length($0) < length($1) }),
            length(owner) + 1 < length(longest), let displaced = lines[longest]?.popLast()
        else { return .refused }
        count -= 1
        enter(element, owner)
        return .displacing(displaced)
    }

    /// Takes the element whose turn it is, as one that is under way until `end`.
    ///
    /// - Parameter share: how many of one owner may be under way; whoever has that many waits on.
    public mutating func popFirst(upTo share: Int = .max) -> (owner: String, element: Element)? {
        guard let index = turns.indices.min(by: { load(turns[$0]) < load(turns[$1]) }),
            load(turns[index]) < share
        else { return nil }
        let owner = turns.remove(at: index)
        guard let element = lines[owner]?.popFirst() else { return nil }
        if lines[owner]?.isEmpty == false { turns.append(owner) } else { lines[owner] = nil }
        count -= 1
        begin(of: owner)
        return (owner, element)
    }

    /// Notes that an element of `owner` is under way that did not have to wait.
    public mutating func begin(of owner: String) {
        underWay[owner, default: 0] += 1
    }

    /// Notes that an element of `owner` is under way no more.
    public mutating func end(of owner: String) {
        let rest = load(owner) - 1
        underWay[owner] = rest > 0 ? rest : nil
    }

    /// How many of `owner` are under way.
    public func load(_ owner: String) -> Int { underWay[owner] ?? 0 }

    /// Takes out those at the heads of their lines that are over, none of which will be under way.
    public mutating func remove(while isOver: (Element) -> Bool) -> [Element] {
        var removed: [Element] = []
        for owner in turns {
            while let head = lines[owner]?.head, isOver(head) {
                if let element = lines[owner]?.popFirst() { removed.append(element) }
            }
            if lines[owner]?.isEmpty == true { lines[owner] = nil }
        }
        turns.removeAll { lines[$0] == nil }
        count -= removed.count
        return removed
    }

    private func length(_ owner: String) -> Int { lines[owner]?.count ?? 0 }

    private mutating func enter(_ element: Element, _ owner: String) {
        if lines[owner] == nil { turns.append(owner) }
        lines[owner, default: Queue()].append(element)
        count += 1
    }
}
