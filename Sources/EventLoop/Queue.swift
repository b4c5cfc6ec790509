/// A first-in, first-out queue with constant-time operations: an array and the index of its first element.
public struct Queue<Element> {
    @usableFromInline var elements: [Element?] = []
    @usableFromInline var first = 0

    @inlinable public init() {}

    public var count: Int { elements.count - first }
    @inlinable public var isEmpty: Bool { first == elements.count }
    @inlinable public var head: Element? { isEmpty ? nil : elements[first] }

    @inlinable public mutating func append(_ element: Element) { elements.append(element) }

    /// Removes and returns the newest element.
    public mutating func popLast() -> Element? {
        guard first < elements.count, let element = elements.removeLast() else { return nil }
        if first == elements.count {
            elements.removeAll(keepingCapacity: true)
            first = 0
        }
        return element
    }

    /// Removes and returns the oldest element.
    ///
    /// Storage is reclaimed once half of it is unused.
    @inlinable public mutating func popFirst() -> Element? {
        guard first < elements.count else { return nil }
        let element = elements[first]
        elements[first] = nil
        first += 1
        if first == elements.count {
            elements.removeAll(keepingCapacity: true)
            first = 0
        } else if first >= 64 && first * 2 >= elements.count {
            elements.removeFirst(first)
            first = 0
        }
        return element
    }

    /// Removes and returns all elements, oldest first.
    public mutating func drain() -> [Element] {
        defer { self = Queue() }
        return elements[first...].compactMap { $0 }
    }
}
