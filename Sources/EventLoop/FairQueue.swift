/// A queue that keeps a separate line of waiting elements for each owner.
///
/// The next element comes from the owner with the fewest elements in progress, in turn among equals, so a long line
/// delays only its own owner.
public struct FairQueue<Element> {
    private let limit: Int
    private var lines: [String: Queue<Element>] = [:]
    /// Owners whose lines are not empty, in the order of their turns.
    private var turns: [String] = []
    private var underWay: [String: Int] = [:]
    public private(set) var count = 0

    /// - Parameter limit: maximum number of waiting elements in all lines together.
    public init(limit: Int) { self.limit = limit }

    /// Result of adding an element.
    public enum Admission {
        case accepted
        /// Accepted in place of the last element of the longest line, which is the associated value.
        case displacing(Element)
        case refused
    }

    /// Appends an element to the line of `owner`.
    ///
    /// A single owner may fill the queue. In a full queue the longest line loses its last element if the line of
    /// `owner` is shorter by two or more; otherwise the new element is refused, since lines of the same length have
    /// equal rights.
    public mutating func append(_ element: Element, of owner: String) -> Admission {
        guard count >= limit else {
            enter(element, owner)
            return .accepted
        }
        guard let longest = turns.max(by: { length($0) < length($1) }), length(owner) + 1 < length(longest),
            let displaced = lines[longest]?.popLast()
        else { return .refused }
        count -= 1
        enter(element, owner)
        return .displacing(displaced)
    }

    /// Removes the next element in turn and counts it as in progress until `end`.
    ///
    /// - Parameter share: maximum number of elements in progress for one owner; an owner that has reached it waits.
    public mutating func popFirst(upTo share: Int = .max) -> (owner: String, element: Element)? {
        guard let index = turns.indices.min(by: { load(turns[$0]) < load(turns[$1]) }), load(turns[index]) < share
        else { return nil }
        let owner = turns.remove(at: index)
        guard let element = lines[owner]?.popFirst() else { return nil }
        if lines[owner]?.isEmpty == false { turns.append(owner) } else { lines[owner] = nil }
        count -= 1
        begin(of: owner)
        return (owner, element)
    }

    /// Counts an element of `owner` as in progress, for one that did not have to wait.
    public mutating func begin(of owner: String) { underWay[owner, default: 0] += 1 }

    /// Counts an element of `owner` as no longer in progress.
    public mutating func end(of owner: String) {
        let rest = load(owner) - 1
        underWay[owner] = rest > 0 ? rest : nil
    }

    /// Number of elements of `owner` in progress.
    public func load(_ owner: String) -> Int { underWay[owner] ?? 0 }

    /// Removes elements from the heads of the lines as long as they match; they are not counted as in progress.
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
