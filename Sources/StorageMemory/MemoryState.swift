import Glibc
import HoldfastBytes
import HoldfastStorage

/// One immutable state of a ``MemoryEngine``: entries in key order, cut into chunks.
///
/// A commit makes a new state that shares every chunk it didn't touch, so a snapshot is a reference and costs nothing.
final class MemoryState: Sendable {
    /// Neighbouring entries; never empty.
    final class Chunk: Sendable {
        let entries: [MemoryEntry]

        init(_ entries: [MemoryEntry]) { self.entries = entries }

        /// Finds the position of the first entry at or above `key`.
        func lowerBound(_ key: UnsafeRawBufferPointer) -> Int {
            partitionPoint(entries.count) { compareKeys(entries[$0].key, key) < 0 }
        }
    }

    /// The position of an entry, or the end.
    struct Position: Equatable {
        var chunk: Int
        var entry: Int
    }

    /// The number of entries of a chunk. A chunk that grows beyond twice this number is cut.
    static let chunkEntryCount = 64

    let chunks: [Chunk]
    let commit: UInt64
    let byteCount: Int

    init(chunks: [Chunk] = [], commit: UInt64 = 0, byteCount: Int = 0) {
        self.chunks = chunks
        self.commit = commit
        self.byteCount = byteCount
    }

    func value(forKey key: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        let position = lowerBound(key)
        guard position.chunk < chunks.count else { return nil }
        let entry = chunks[position.chunk].entries[position.entry]
        return compareKeys(entry.key, key) == 0 ? entry.value : nil
    }

    /// Finds the first entry at or above `key`, or the end.
    func lowerBound(_ key: UnsafeRawBufferPointer) -> Position {
        let chunk = chunkIndex(for: key)
        guard chunk < chunks.count else { return end }
        let entry = chunks[chunk].lowerBound(key)
        return entry < chunks[chunk].entries.count
            ? Position(chunk: chunk, entry: entry) : Position(chunk: chunk + 1, entry: 0)
    }

    /// The position after the last entry.
    var end: Position { Position(chunk: chunks.count, entry: 0) }

    /// Returns the index of the chunk for `key`: the last chunk that begins at or below it.
    func chunkIndex(for key: UnsafeRawBufferPointer) -> Int {
        let above = partitionPoint(chunks.count) {
            compareKeys(chunks[$0].entries[0].key, key) <= 0
        }
        return max(0, above - 1)
    }

    /// Visits a range as ``StorageSnapshot/scan(_:reversed:expecting:_:)`` requires.
    ///
    /// - Returns: The number of entries that were passed to `body`.
    func scan(
        _ range: KeyRange, reversed: Bool,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
    ) -> Int {
        guard !range.isEmpty else { return 0 }
        var first = range.lower.withUnsafeBytes { lowerBound($0) }
        var end = range.upper.map { upper in upper.withUnsafeBytes { lowerBound($0) } } ?? self.end
        var count = 0
        while first != end {
            if reversed { end = before(end) }
            let position = reversed ? end : first
            let entry = chunks[position.chunk].entries[position.entry]
            count += 1
            guard body(entry.key, entry.value) else { break }
            if !reversed { first = after(first) }
        }
        return count
    }

    private func after(_ position: Position) -> Position {
        position.entry + 1 < chunks[position.chunk].entries.count
            ? Position(chunk: position.chunk, entry: position.entry + 1)
            : Position(chunk: position.chunk + 1, entry: 0)
    }

    private func before(_ position: Position) -> Position {
        position.entry > 0
            ? Position(chunk: position.chunk, entry: position.entry - 1)
            : Position(
                chunk: position.chunk - 1, entry: chunks[position.chunk - 1].entries.count - 1)
    }
}

extension MemoryState {
    /// Returns this state with `batch` applied, and the same commit number; nil if the batch changes nothing.
    ///
    /// Cost: the chunks that are changed, and one reference for every other chunk.
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
    /// - Returns: The chunk's new entries, or nil if they stay as they are; the position of the first change beyond the chunk;
    ///   and the number of bytes by which the chunk grows.
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

/// A key and its value, in memory of its own that never moves.
///
/// `@unchecked Sendable`: the bytes are written before the entry is shared, and never after.
final class MemoryEntry: @unchecked Sendable {
    private let bytes: UnsafeMutableRawPointer
    private let keyByteCount: Int
    private let valueByteCount: Int

    init(key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        keyByteCount = key.count
        valueByteCount = value.count
        bytes = .allocate(byteCount: key.count + value.count, alignment: 8)
        if let source = key.baseAddress { memcpy(bytes, source, key.count) }
        if let source = value.baseAddress { memcpy(bytes + key.count, source, value.count) }
    }

    deinit { bytes.deallocate() }

    var key: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: bytes, count: keyByteCount) }

    var value: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: bytes + keyByteCount, count: valueByteCount)
    }

    var byteCount: Int { keyByteCount + valueByteCount }
}
