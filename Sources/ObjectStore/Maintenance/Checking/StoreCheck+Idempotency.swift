import HoldfastBytes
import HoldfastStorage

extension StoreCheck {
    /// Checks that idempotency records, their numbers and their counters agree.
    func checkIdempotency() throws(StoreError) {
        var counters = IdempotencyCounters()
        if let bytes = try transaction.value(StoreKey.recordCounters) {
            guard let stored = IdempotencyCounters(bytes) else {
                return report.add("reply-counters-damaged", "\(bytes.count) bytes")
            }
            counters = stored
        }
        let buffer = ByteBuffer()
        var byteCount: UInt64 = 0
        var shares: [UInt64: UInt64] = [:]
        var orderCount = 0
        try scan(StoreKey.recordPrefix) { (key, value) throws(StoreError) in
            byteCount += IdempotencyRecord.byteCount(ofValue: value.count)
            guard key.count == StoreKey.recordKeyByteCount,
                let header = IdempotencyRecord.header(value)
            else { return report.add("reply-damaged", "\(key.count) bytes of key") }
            let id = Array(key[StoreKey.recordPrefix.count...])
            let number = Array(
                buffer.making { StoreKey.appendRecordNumber(header.number, to: $0) })
            guard header.number >= counters.first, header.number < counters.next,
                let entry = try transaction.value(number).flatMap({ IdempotencyNumber($0) }),
                entry.id == id
            else { return report.add("reply-number-wrong", "reply \(header.number)") }
            for share in entry.owner.shares {
                shares[share, default: 0] += IdempotencyRecord.byteCount(ofValue: value.count)
                orderCount += 1
            }
        }
        try scan(StoreKey.recordNumberPrefix) { (key, value) throws(StoreError) in
            guard key.count == StoreKey.recordNumberByteCount else {
                return report.add("reply-number-damaged", "\(key.count) bytes of key")
            }
            let number = StoreKey.trailingObjectKey(key)
            let id = IdempotencyNumber(value)?.id ?? []
            let reply = Array(buffer.making { StoreKey.appendRecord(id, to: $0) })
            guard try has(reply, { IdempotencyRecord.header($0)?.number == number }) else {
                return report.add("reply-missing", "reply \(number)")
            }
        }
        try scan(StoreKey.recordOrderPrefix) { (key, value) throws(StoreError) in
            orderCount -= 1
            guard key.count == StoreKey.recordOrderByteCount, value.isEmpty else {
                return report.add("reply-order-damaged", "\(key.count) bytes of key")
            }
            let share = StoreKey.trailingObjectKey(
                UnsafeRawBufferPointer(rebasing: key.dropLast(8)))
            let number = StoreKey.trailingObjectKey(key)
            let entry = Array(buffer.making { StoreKey.appendRecordNumber(number, to: $0) })
            guard
                try has(entry, { IdempotencyNumber($0)?.owner.shares.contains(share) ?? false })
            else { return report.add("reply-order-wrong", "reply \(number)") }
        }
        if orderCount != 0 { report.add("reply-order-missing", "\(orderCount) replies") }
        try scan(StoreKey.recordSharePrefix) { (key, value) throws(StoreError) in
            guard key.count == StoreKey.recordSharePrefix.count + 8, value.count == 8 else {
                return report.add("reply-share-damaged", "\(key.count) bytes of key")
            }
            let stored = value.loadUnaligned(as: UInt64.self)
            let owner = StoreKey.trailingObjectKey(key)
            if shares.removeValue(forKey: owner) != stored {
                report.add("reply-share-wrong", "\(stored) bytes counted")
            }
        }
        if !shares.isEmpty { report.add("reply-share-missing", "\(shares.count) shares") }
        if byteCount != counters.byteCount {
            report.add(
                "reply-size-wrong", "\(counters.byteCount) counted, \(byteCount) there")
        }
    }
}
