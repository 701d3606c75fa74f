import HoldfastBytes
import HoldfastStorage

extension MemoryState {
    /// This state with `batch` applied, and the same commit number; nil when it changes nothing.
    ///
    /// Cost: the chunks that are touched, and one reference for every other.
    func applying(_ batch: StorageBatch) -> MemoryState? {
        var state = self
        for range in batch.removedRanges {
            var removals: [StorageBatch.Change] = []
            _ = state.scan(range, reversed: false) { key, _ in
                removals.append(StorageBatch.Change(key: key, value: nil))
                return true
            }
            state = state.applying(removals) ?? state
        }
        state = state.applying(batch.changes) ?? state
        return state === self ? nil : state
    }

    private func applying(_ changes: [StorageBatch.Change]) -> MemoryState? {
        var made: [Chunk] = []
        var copied = 0
        var byteCount = byteCount
        var didChange = false
        var next = 0
        while next < changes.count {
            let index = chunkIndex(for: changes[next].key)
            let (merged, end, growth) = merge(chunk: index, changes, from: next)
            next = end
            guard let merged else { continue }
            made += chunks[copied..<min(index, chunks.count)]
            made += Self.cut(merged)
            copied = min(index + 1, chunks.count)
            byteCount += growth
            didChange = true
        }
        guard didChange else { return nil }
        made += chunks[copied...]
        return MemoryState(chunks: made, commit: commit, byteCount: byteCount)
    }

    /// Merges the changes that belong into one chunk with its entries.
    ///
    /// - Returns: The chunk's new entries, or nil when they stay as they are; the position of the
    ///   first change beyond the chunk; and by how many bytes the chunk grows.
    private func merge(
        chunk index: Int, _ changes: [StorageBatch.Change], from start: Int
    ) -> (entries: [MemoryEntry]?, end: Int, growth: Int) {
        let old = index < chunks.count ? chunks[index].entries : []
        let bound = index + 1 < chunks.count ? chunks[index + 1].entries[0] : nil
        var merged: [MemoryEntry] = []
        merged.reserveCapacity(old.count + 1)
        var taken = 0
        var growth = 0
        var didChange = false
        var next = start
        while next < changes.count {
            let change = changes[next]
            if let bound, compareKeys(change.key, bound.key) >= 0 { break }
            next += 1
            while taken < old.count, compareKeys(old[taken].key, change.key) < 0 {
                merged.append(old[taken])
                taken += 1
            }
            if taken < old.count, compareKeys(old[taken].key, change.key) == 0 {
                growth -= old[taken].byteCount
                taken += 1
                didChange = true
            }
            if let value = change.value {
                let entry = MemoryEntry(key: change.key, value: value)
                merged.append(entry)
                growth += entry.byteCount
                didChange = true
            }
        }
        merged += old[taken...]
        return (didChange ? merged : nil, next, growth)
    }

    private static func cut(_ entries: [MemoryEntry]) -> [Chunk] {
        guard entries.count > 2 * chunkEntryCount else {
            return entries.isEmpty ? [] : [Chunk(entries)]
        }
        return stride(from: 0, to: entries.count, by: chunkEntryCount).map {
            Chunk(Array(entries[$0..<min($0 + chunkEntryCount, entries.count)]))
        }
    }
}
