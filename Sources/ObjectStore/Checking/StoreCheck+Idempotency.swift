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
        try scan(StoreKey.recordPrefix) { (key, value) throws(StoreError) in
            byteCount += IdempotencyRecord.byteCount(ofValue: value.count)
            guard key.count == StoreKey.recordKeyByteCount,
                let header = IdempotencyRecord.header(value)
            else { return report.add("reply-damaged", "\(key.count) bytes of key") }
            let id = Array(key[StoreKey.recordPrefix.count...])
            let number = Array(
                buffer.making { StoreKey.appendRecordNumber(header.number, to: $0) })
            guard header.number >= counters.first, header.number < counters.next,
                try has(number, { $0.elementsEqual(id) })
            else { return report.add("reply-number-wrong", "reply \(header.number)") }
        }
        try scan(StoreKey.recordNumberPrefix) { (key, value) throws(StoreError) in
            guard key.count == StoreKey.recordNumberByteCount else {
                return report.add("reply-number-damaged", "\(key.count) bytes of key")
            }
            let number = StoreKey.trailingObjectKey(key)
            let reply = Array(buffer.making { StoreKey.appendRecord(Array(value), to: $0) })
            guard try has(reply, { IdempotencyRecord.header($0)?.number == number }) else {
                return report.add("reply-missing", "reply \(number)")
            }
        }
        if byteCount != counters.byteCount {
            report.add(
                "reply-size-wrong", "\(counters.byteCount) counted, \(byteCount) there")
        }
    }
}
