/// The first places of an order, kept while more are seen: a bounded binary heap whose root is the last of
/// them.
package struct PlaceHeap {
    private var places: [ColumnOrder.Place] = []
    private let countMax: Int

    /// Makes a heap for the first `countMax` places.
    package init(countMax: Int) { self.countMax = countMax }

    /// How many places it has.
    package var count: Int { places.count }

    /// The place that another one has to come before; nil while there is room.
    package var worst: ColumnOrder.Place? { places.count == countMax ? places.first : nil }

    /// Takes a place if it is among the first.
    package mutating func insert(_ place: ColumnOrder.Place) {
        if places.count < countMax {
            places.append(place)
            siftUp()
        } else if let worst = places.first, place < worst {
            places[0] = place
            siftDown()
        }
    }

    private mutating func siftUp() {
        var child = places.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard places[parent] < places[child] else { return }
            places.swapAt(parent, child)
            child = parent
        }
    }

    private mutating func siftDown() {
        var parent = 0
        while true {
            var last = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < places.count && places[last] < places[child] {
                last = child
            }
            if last == parent { return }
            places.swapAt(parent, last)
            parent = last
        }
    }

    /// The places in order.
    package func sorted() -> [ColumnOrder.Place] { places.sorted() }
}
