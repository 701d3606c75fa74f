import Bytes
import Query
import Rows

extension QueryExecution {
    /// The position of an object in the order.
    package func position(_ key: UInt64, _ row: RowView) -> QueryPosition {
        order.position(key, row)
    }

    /// Reads every match and keeps the first `limit` behind the query's position.
    func sort(limit: Int, _ body: (UInt64, RowView) -> Bool) throws(StoreError) {
        if plan.source == nil, let columns = try columns(readsAll: true),
            try columns.sort(
                limit: limit, after: after, memoryByteCountMax: limits.memoryByteCountMax, body)
        {
            return
        }
        let order = order
        var heap = PageHeap(countMax: limit, byteCountMax: limits.memoryByteCountMax)
        let buffer = ByteBuffer(capacity: 256)
        var hasRoom = true
        try forEachMatch { key, row in
            buffer.removeAll()
            order.append(key, row, to: buffer)
            if let position = after, !order.comesAfter(buffer.bytes, key, row, position) {
                return true
            }
            hasRoom = heap.insert(buffer.bytes, key, row, by: order)
            return hasRoom
        }
        if !hasRoom { throw .stopped(.memory) }
        // What was read of a plan that is given up is not the beginning of the order.
        if isTooExpensive { return }
        for entry in heap.sorted(by: order) {
            guard body(entry.key, entry.row) else { return }
        }
    }
}
