import HoldfastBytes
import HoldfastStorage

/// One immutable state of a ``MemoryEngine``: entries in key order, cut into chunks.
///
/// A commit makes a new state that shares every chunk it didn't touch, so a snapshot is a reference
/// and costs nothing.
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

    /// A chunk that grows beyond twice this is cut.
    static let chunkEntryCount = 64

    let chunks: [Chunk]
    let commit: UInt64
    let byteCount: Int

    init(chunks: [Chunk] = [], commit: UInt64 = 0, byteCount: Int = 0) {
        self.chunks = chunks
        self.commit = commit
        self.byteCount = byteCount
    }

    /// Returns the value of `key`.
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

    /// Finds the chunk whose keys `key` belongs among: the last one that begins at or below it.
    func chunkIndex(for key: UnsafeRawBufferPointer) -> Int {
        let above = partitionPoint(chunks.count) {
            compareKeys(chunks[$0].entries[0].key, key) <= 0
        }
        return max(0, above - 1)
    }

    /// Walks a range; the port's promise is ``StorageSnapshot/scan(_:reversed:expecting:_:)``.
    ///
    /// - Returns: The number of entries that `body` was given.
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
