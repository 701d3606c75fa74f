import HoldfastBytes
import HoldfastQuery
import HoldfastRows
import HoldfastStorage
import HoldfastText

/// The keys of the objects that have a word, in order, read from a full-text index as they are asked for.
struct WordCursor {
    /// The prefix of the word's entries; empty when the keys are all in ``keys``.
    private let prefix: [UInt8]
    /// Some of the keys: those from the last position that was looked for on.
    private var keys: [UInt64] = []
    private var position = 0
    /// The number of keys read at a time.
    private var stepCount = 16
    /// Whether there are no keys behind those that were read.
    private var isComplete = false

    /// Makes a cursor for one word.
    init(_ index: SearchIndex, word: [UInt8]) {
        let buffer = ByteBuffer(capacity: 160)
        word.withUnsafeBytes {
            let cut = UnsafeRawBufferPointer(rebasing: $0[..<WordSet.cutByteCount($0)])
            IndexEntry.append(index, word: cut, to: buffer)
        }
        prefix = buffer.array
    }

    /// Makes a cursor for keys that were read already; in order, each once.
    init(keys: [UInt64]) {
        prefix = []
        self.keys = keys
        isComplete = true
    }

    /// Returns the range of the entries of all words that begin with `prefix`.
    static func range(_ index: SearchIndex, prefix: [UInt8]) -> KeyRange {
        let buffer = ByteBuffer(capacity: 160)
        StoreKey.appendIndexPrefix(index.number, to: buffer)
        prefix.withUnsafeBytes {
            buffer.append(UnsafeRawBufferPointer(rebasing: $0[..<WordSet.cutByteCount($0)]))
        }
        return KeyRange(prefix: buffer.array)
    }

    /// The range of the word's entries.
    var range: KeyRange { KeyRange(prefix: prefix) }

    /// Finds the least key that is not less than `target`; nil when there is none. Targets never fall.
    ///
    /// Cost: one look-up in the engine's tree where the key is far behind the last one, and the reading
    /// of entries, of more at a time as long as one follows the other.
    mutating func seek(
        _ target: UInt64, _ transaction: ReadTransaction, _ entriesRead: inout Int
    ) throws(StoreError) -> UInt64? {
        if let last = keys.last, last >= target {
            while keys[position] < target {
                // Doubling steps: the key is near where keys follow each other, and may be far in a list.
                var step = 1
                while position + step < keys.count, keys[position + step] < target {
                    position += step
                    step *= 2
                }
                position += 1
            }
            return keys[position]
        }
        if isComplete { return nil }
        let followsOn = keys.last.map { $0 < .max && target == $0 + 1 } ?? false
        stepCount = followsOn ? min(stepCount * 2, 1024) : 16
        keys.removeAll(keepingCapacity: true)
        position = 0
        var range = range
        withUnsafeBytes(of: target.bigEndian) { range.lower.append(contentsOf: $0) }
        try transaction.scanEntries(range, expecting: stepCount) { entry, _ in
            keys.append(StoreKey.trailingObjectKey(entry))
            return keys.count < stepCount
        }
        entriesRead += keys.count
        isComplete = keys.count < stepCount
        return keys.first
    }
}
