import HoldfastBytes
import HoldfastQuery
import HoldfastRows

extension QueryExecution {
    /// Returns the position of an object in the order.
    package func position(_ key: UInt64, _ row: RowView) -> QueryPosition {
        order.position(key, row)
    }

    /// The cost of finding where an object's inverse links begin, in rows of a scan.
    private static let walkCost = 4

    /// Reads every match and keeps the first `limit` behind the query's position.
    func sort(limit: Int, _ body: (UInt64, RowView) -> Bool) throws(StoreError) {
        if plan.source == nil, let columns = try columns(readsAll: true),
            try columns.sort(
                by: order, limit: limit, after: after,
                memoryByteCountMax: limits.memoryByteCountMax, body)
        {
            return
        }
        let order = order
        var heap = PageHeap(countMax: limit, byteCountMax: limits.memoryByteCountMax)
        let buffer = ByteBuffer(capacity: 256)
        var hasRoom = true
        // Walks along inverse links cost as many rows as they read; where they come to as much as one pass over the objects
        // that hold the links, that is made instead. So many walks are certain:
        let isWhole = plan.source == nil && plan.residual == nil
        let totalCost = try order.totalCost() ?? .max
        var walkCost = 0
        if isWhole, totalCost < .max {
            let count = Int(clamping: try transaction.classState(rowClass).count)
            walkCost = QueryCost.times(count, Self.walkCost)
        }
        try forEachMatch { key, row in
            buffer.removeAll()
            if walkCost > totalCost {
                order.total(byteCountMax: limits.memoryByteCountMax / 2)
                walkCost = .min
            }
            let readBefore = totalCost < .max ? transaction.entriesRead : 0
            order.append(key, row, to: buffer)
            if totalCost < .max {
                walkCost += transaction.entriesRead - readBefore + Self.walkCost
            }
            if let position = after, !order.comesAfter(buffer.bytes, key, position) {
                return true
            }
            // A copy for somebody who sees a part is given back.
            let kept = transaction.sighted == nil ? row : nil
            hasRoom = heap.insert(buffer.bytes, key, kept, by: order)
            return hasRoom
        }
        if !hasRoom { throw .stopped(.memory) }
        // Rows of a plan that is given up are not the beginning of the order.
        if isTooExpensive { return }
        for entry in try heap.sorted(by: order) {
            let shown = transaction.shownMark
            defer { transaction.releaseShown(to: shown) }
            guard let row = try entry.row == nil ? fetch(entry.key) : entry.row else { continue }
            if !body(entry.key, row) { return }
        }
    }
}
