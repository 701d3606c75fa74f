import HoldfastRows

/// The first elements of an order, kept while more are seen: a bounded binary heap with a root that is the last of them.
///
/// It is public because Swift 6.3 specialises nothing that is `package` in other modules.
public struct BoundedHeap<Element> {
    @usableFromInline var elements: [Element] = []
    @usableFromInline let countMax: Int

    /// Makes a heap for the first `countMax` elements.
    @inlinable
    public init(countMax: Int) { self.countMax = countMax }

    /// How many elements it has.
    @inlinable
    public var count: Int { elements.count }

    /// Whether there is no room, so that another element has to come before ``worst``.
    @inlinable
    public var isFull: Bool { elements.count == countMax && countMax > 0 }

    /// The last of the elements of a full heap. Read where it is: no part of it is copied.
    @inlinable
    public var worst: Element { _read { yield elements[0] } }

    /// Takes an element if it is among the first. Cost: logarithmic in the number of elements.
    ///
    /// - Returns: Whether it was taken, and which one had to go for it.
    @inlinable
    public mutating func insert(
        _ element: Element, isBefore: (Element, Element) -> Bool
    ) -> (isTaken: Bool, evicted: Element?) {
        guard elements.count == countMax else {
            elements.append(element)
            siftUp(isBefore)
            return (true, nil)
        }
        guard isFull, isBefore(element, worst) else { return (false, nil) }
        var evicted = element
        swap(&elements[0], &evicted)
        siftDown(isBefore)
        return (true, evicted)
    }

    @inlinable
    mutating func siftUp(_ isBefore: (Element, Element) -> Bool) {
        var child = elements.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard isBefore(elements[parent], elements[child]) else { return }
            elements.swapAt(parent, child)
            child = parent
        }
    }

    @inlinable
    mutating func siftDown(_ isBefore: (Element, Element) -> Bool) {
        var parent = 0
        while true {
            var last = parent
            for child in (2 * parent + 1)...(2 * parent + 2)
            where child < elements.count && isBefore(elements[last], elements[child]) {
                last = child
            }
            if last == parent { return }
            elements.swapAt(parent, last)
            parent = last
        }
    }

    /// The elements in order; nil once the budget has failed.
    @inlinable
    public func sorted(
        within budget: Budget, _ isBefore: (Element, Element) -> Bool
    ) -> [Element]? {
        elements.sorted(within: budget, by: isBefore)
    }
}

extension Array {
    @usableFromInline
    struct Failure: Error {
        @usableFromInline init() {}
    }

    /// The elements in order; nil once the budget has failed, of which each comparison is a step.
    @inlinable
    public func sorted(
        within budget: Budget, by isBefore: (Element, Element) -> Bool
    ) -> [Element]? {
        try? sorted { a, b in
            guard budget.spend() else { throw Failure() }
            return isBefore(a, b)
        }
    }
}
