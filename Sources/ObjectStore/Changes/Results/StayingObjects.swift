import HoldfastBytes

/// Finds the objects of a result that stay in their place while others come and go: the unchanged objects, and the other objects
/// that are in the right order between them. Cost: n log n.
///
/// - `objects`: The objects in both results, in their new order, each with its former index.
/// - `changed`: The object keys of the changed objects, which move rather than others.
func stayingObjects(_ objects: [(key: UInt64, index: Int)], changed: Set<UInt64>) -> Set<UInt64> {
    let calm = objects.indices.filter { !changed.contains(objects[$0].key) }
    let anchors = calm.map { objects[$0].index }.longestRise().map { calm[$0] }
    var fitting: [Int] = []
    var next = 0
    for position in objects.indices {
        if next < anchors.count, anchors[next] == position {
            fitting.append(position)
            next += 1
            continue
        }
        let index = objects[position].index
        let low = next > 0 ? objects[anchors[next - 1]].index : -1
        let high = next < anchors.count ? objects[anchors[next]].index : Int.max
        if low < index, index < high { fitting.append(position) }
    }
    let stays = fitting.map { objects[$0].index }.longestRise()
    return Set(stays.map { objects[fitting[$0]].key })
}

extension [Int] {
    /// Returns the positions of a longest sequence of rising numbers (patience sorting).
    package func longestRise() -> [Int] {
        // The positions with the least end of a sequence of each length, and the predecessor of each.
        var ends: [Int] = []
        var before: [Int] = []
        for (position, number) in enumerated() {
            let length = partitionPoint(ends.count) { self[ends[$0]] < number }
            before.append(length == 0 ? -1 : ends[length - 1])
            if length == ends.count { ends.append(position) } else { ends[length] = position }
        }
        var found: [Int] = []
        var position = ends.last ?? -1
        while position >= 0 {
            found.append(position)
            position = before[position]
        }
        return found.reversed()
    }
}
