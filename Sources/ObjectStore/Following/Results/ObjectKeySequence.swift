import HoldfastBytes

/// Object keys in an order: any of them by its position, and changed for the cost of the chunks that a change concerns and a step for
/// each other chunk.
///
/// Takes 8 bytes for each key and some 50 for each of the chunks, which have about a thousand.
package struct ObjectKeySequence: Sendable {
    private static let chunkCount = 1024

    private var chunks: [[UInt64]] = []
    /// The position behind the last key of each chunk.
    private var ends: [Int] = []

    /// Keys in their order.
    package init(_ keys: [UInt64]) {
        chunks = stride(from: 0, to: keys.count, by: Self.chunkCount).map {
            Array(keys[$0...].prefix(Self.chunkCount))
        }
        findEnds()
    }

    /// The keys as one array. Cost: linear.
    package var all: [UInt64] { Array(self) }

    /// Removes keys.
    ///
    /// - `positions`: Rising.
    mutating func remove(at positions: [Int]) {
        if positions.isEmpty { return }
        var left = positions[...]
        var kept: [[UInt64]] = []
        for (number, chunk) in chunks.enumerated() {
            guard let first = left.first, first < ends[number] else {
                Self.append(chunk, to: &kept)
                continue
            }
            let start = ends[number] - chunk.count
            var rest: [UInt64] = []
            rest.reserveCapacity(chunk.count)
            for (offset, key) in chunk.enumerated() {
                if left.first == start + offset { left.removeFirst() } else { rest.append(key) }
            }
            Self.append(rest, to: &kept)
        }
        chunks = kept
        findEnds()
    }

    /// Inserts keys.
    ///
    /// - `fresh`: Each with the position before which it comes, as the sequence is now; rising.
    mutating func insert(_ fresh: [(position: Int, key: UInt64)]) {
        if fresh.isEmpty { return }
        if chunks.isEmpty { return self = ObjectKeySequence(fresh.map(\.key)) }
        var left = fresh[...]
        var grown: [[UInt64]] = []
        for (number, chunk) in chunks.enumerated() {
            let isLast = number == chunks.count - 1
            guard let first = left.first, isLast || first.position < ends[number] else {
                grown.append(chunk)
                continue
            }
            let start = ends[number] - chunk.count
            var all: [UInt64] = []
            all.reserveCapacity(chunk.count + 1)
            for (offset, key) in chunk.enumerated() {
                while let next = left.first, next.position == start + offset {
                    all.append(next.key)
                    left.removeFirst()
                }
                all.append(key)
            }
            if isLast { all += left.map(\.key) }
            if all.count <= 2 * Self.chunkCount {
                grown.append(all)
            } else {
                grown += ObjectKeySequence(all).chunks
            }
        }
        chunks = grown
        findEnds()
    }

    /// Adds a chunk, or joins it with the last one where both are small.
    private static func append(_ chunk: [UInt64], to chunks: inout [[UInt64]]) {
        if chunk.isEmpty { return }
        if let last = chunks.last, last.count + chunk.count <= chunkCount / 2 {
            chunks[chunks.count - 1] += chunk
        } else {
            chunks.append(chunk)
        }
    }

    private mutating func findEnds() {
        var end = 0
        ends = chunks.map { chunk in
            end += chunk.count
            return end
        }
    }
}

extension ObjectKeySequence: RandomAccessCollection {
    package var startIndex: Int { 0 }
    package var endIndex: Int { ends.last ?? 0 }

    package subscript(position: Int) -> UInt64 {
        let number = partitionPoint(ends.count) { ends[$0] <= position }
        return chunks[number][position - (ends[number] - chunks[number].count)]
    }
}
