import Bytes
import Storage

extension StoreCheck {
    /// Checks that kept replies, their numbers and their counters agree.
    mutating func checkReplies() throws(StoreError) {
        var counters = ReplyCounters()
        do throws(StorageError) {
            if let bytes = try transaction.snapshot.value(StoreKey.replyCounters) {
                guard let stored = ReplyCounters(bytes) else {
                    return report.add("reply-counters-damaged", "\(bytes.count) bytes")
                }
                counters = stored
            }
        } catch {
            throw .storage(error)
        }
        let buffer = ByteBuffer()
        var byteCount: UInt64 = 0
        try scan(StoreKey.replyPrefix) { (check, key, value) throws(StoreError) in
            byteCount += KeptReply.byteCount(ofValue: value.count)
            guard key.count == StoreKey.replyKeyByteCount, let header = KeptReply.header(value)
            else { return check.report.add("reply-damaged", "\(key.count) bytes of key") }
            let id = Array(key[StoreKey.replyPrefix.count...])
            let number = Array(
                buffer.making { StoreKey.appendReplyNumber(header.number, to: $0) })
            guard header.number >= counters.first, header.number < counters.next,
                try check.has(number, { $0.elementsEqual(id) })
            else { return check.report.add("reply-number-wrong", "reply \(header.number)") }
        }
        try scan(StoreKey.replyNumberPrefix) { (check, key, value) throws(StoreError) in
            guard key.count == StoreKey.replyNumberByteCount else {
                return check.report.add("reply-number-damaged", "\(key.count) bytes of key")
            }
            let number = StoreKey.trailingObjectKey(key)
            let reply = Array(buffer.making { StoreKey.appendReply(Array(value), to: $0) })
            guard try check.has(reply, { KeptReply.header($0)?.number == number }) else {
                return check.report.add("reply-missing", "reply \(number)")
            }
        }
        if byteCount != counters.byteCount {
            report.add(
                "reply-size-wrong", "\(counters.byteCount) counted, \(byteCount) there")
        }
    }
}
