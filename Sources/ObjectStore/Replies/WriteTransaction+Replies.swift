import Bytes
import Rows
import Storage

extension WriteTransaction {
    /// The reply that was kept under an identifier, if it is not too old.
    package func keptReply(_ id: [UInt8]) throws(StoreError) -> KeptReply? {
        let key = keyBuffer.making { StoreKey.appendReply(id, to: $0) }
        guard let bytes = try value(key) else { return nil }
        guard let reply = KeptReply(bytes) else {
            throw .storage(StorageError(.corrupted, operation: "read kept reply"))
        }
        return reply.isKept(at: now.seconds, replyLimits) ? reply : nil
    }

    /// Keeps the reply to this transaction under an identifier, and drops the oldest ones that are too
    /// old or for which there is no room. It is stored even if the transaction changes nothing else.
    ///
    /// Cost: three changes, and two for each reply that goes.
    /// - Throws: ``StoreError`` `.tooLarge` for a reply of more bytes than one may have.
    package func keepReply(_ payload: [UInt8], as id: [UInt8]) throws(StoreError) {
        let limit = min(replyLimits.replyByteCountMax, group.valueByteCountMax - 64)
        guard payload.count <= limit else {
            throw .tooLarge(
                detail:
                    "The reply takes \(payload.count) bytes, and at most \(limit) are kept for a "
                    + "repeat; nothing was changed. Ask for a short one with 'Prefer: return=minimal', "
                    + "or make several requests.")
        }
        var counters = try replyCounters()
        // One that is too old makes way for the new one.
        try dropReply(id, &counters)
        let reply = KeptReply(number: counters.next, seconds: now.seconds, payload: payload)
        let key = keyBuffer.making { StoreKey.appendReply(id, to: $0) }
        let bytes = rowBuffer.making { reply.append(to: $0) }
        counters.byteCount += KeptReply.byteCount(ofValue: bytes.count)
        overlay.put(key, bytes)
        let numberKey = keyBuffer.making {
            StoreKey.appendReplyNumber(counters.next, to: $0)
        }
        id.withUnsafeBytes { _ = overlay.put(numberKey, $0) }
        counters.next += 1
        try trimReplies(&counters)
        StoreKey.replyCounters.withUnsafeBytes { key in
            _ = overlay.put(key, rowBuffer.making { counters.append(to: $0) })
        }
        keepsReply = true
    }

    private func replyCounters() throws(StoreError) -> ReplyCounters {
        let key = keyBuffer.making { $0.append(StoreKey.replyCounters) }
        guard let bytes = try value(key) else { return ReplyCounters() }
        guard let counters = ReplyCounters(bytes) else {
            throw .storage(StorageError(.corrupted, operation: "read kept replies"))
        }
        return counters
    }

    /// Drops replies from the oldest on: all for which there is no room, and some that are too old.
    private func trimReplies(_ counters: inout ReplyCounters) throws(StoreError) {
        // Each write drops more than it adds, so that those that are too old get fewer.
        var oldCount = 8
        while counters.first < counters.next {
            let numberKey = keyBuffer.making {
                StoreKey.appendReplyNumber(counters.first, to: $0)
            }
            guard let found = try value(numberKey) else {
                // It has made way for a new one under the same identifier.
                counters.first += 1
                continue
            }
            let id = Array(found)
            if counters.byteCount <= UInt64(replyLimits.byteCountMax) {
                let key = keyBuffer.making { StoreKey.appendReply(id, to: $0) }
                guard oldCount > 0, let bytes = try value(key),
                    let header = KeptReply.header(bytes),
                    header.seconds + Int64(replyLimits.retentionSeconds) <= now.seconds
                else { return }
                oldCount -= 1
            }
            try dropReply(id, &counters)
            counters.first += 1
        }
    }

    private func dropReply(_ id: [UInt8], _ counters: inout ReplyCounters) throws(StoreError) {
        let key = keyBuffer.making { StoreKey.appendReply(id, to: $0) }
        guard let bytes = try value(key), let header = KeptReply.header(bytes) else { return }
        counters.byteCount -= min(
            counters.byteCount, KeptReply.byteCount(ofValue: bytes.count))
        overlay.remove(key)
        let numberKey = keyBuffer.making {
            StoreKey.appendReplyNumber(header.number, to: $0)
        }
        overlay.remove(numberKey)
    }
}

extension KeptReply {
    /// Whether the reply still counts.
    func isKept(at seconds: Int64, _ limits: ReplyLimits) -> Bool {
        self.seconds + Int64(limits.retentionSeconds) > seconds
    }
}
