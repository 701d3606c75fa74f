import HoldfastRows

/// The masks of one thread that evaluates chunk after chunk: results, intermediate ones, and which objects only
/// their rows can decide.
package final class ColumnFrame {
    /// The positions that satisfy the predicate. Positions of ``undecided`` must not be used.
    package let mask: UnsafeMutablePointer<UInt8>
    /// Which positions only their rows can decide.
    package let undecided: UnsafeMutablePointer<UInt8>
    package private(set) var hasUndecided = false
    private var spare: [UnsafeMutablePointer<UInt8>] = []
    private var large = UnsafeMutablePointer<UInt8>.allocate(capacity: 1 << 15)
    private var largeCount = 1 << 15
    /// The budget of evaluating; once it has failed the masks are not to be used.
    let budget: Budget

    /// Makes masks for one thread.
    package init(within budget: Budget) {
        self.budget = budget
        mask = .allocate(capacity: ColumnChunk.keyCount)
        undecided = .allocate(capacity: ColumnChunk.keyCount)
    }

    deinit {
        mask.deallocate()
        undecided.deallocate()
        for mask in spare { mask.deallocate() }
        large.deallocate()
    }

    /// How many positions of the result are set.
    package var count: Int { count(from: 0) }

    /// How many positions of the result are set at or behind `start`.
    package func count(from start: Int) -> Int {
        ColumnMask.count(mask + start, ColumnChunk.keyCount - start)
    }

    /// The first position of the result at or behind `start` that is set; ``ColumnChunk/keyCount`` when without one.
    package func first(from start: Int) -> Int {
        ColumnMask.first(mask, from: start, ColumnChunk.keyCount)
    }

    /// Has `decide` settle the positions that only their rows can decide.
    package func settle(_ decide: (_ position: Int) -> Bool) {
        guard hasUndecided else { return }
        var position = ColumnMask.first(undecided, from: 0, ColumnChunk.keyCount)
        while position < ColumnChunk.keyCount {
            mask[position] = decide(position) ? 1 : 0
            position = ColumnMask.first(undecided, from: position + 1, ColumnChunk.keyCount)
        }
    }

    /// Removes positions from the result.
    ///
    /// - `positions`: A mask.
    /// - `body`: Told of each that was in it.
    package func remove(_ positions: UnsafePointer<UInt8>, _ body: (_ position: Int) -> Void) {
        var position = ColumnMask.first(positions, from: 0, ColumnChunk.keyCount)
        while position < ColumnChunk.keyCount {
            if mask[position] != 0 { body(position) }
            mask[position] = 0
            position = ColumnMask.first(positions, from: position + 1, ColumnChunk.keyCount)
        }
    }

    func begin() {
        if hasUndecided { undecided.update(repeating: 0, count: ColumnChunk.keyCount) }
        hasUndecided = false
    }

    /// Notes the exceptions of a chunk.
    func note(_ exceptions: UnsafePointer<UInt8>?) {
        guard let exceptions else { return }
        if hasUndecided {
            ColumnMask.or(undecided, exceptions, ColumnChunk.keyCount)
        } else {
            undecided.update(from: exceptions, count: ColumnChunk.keyCount)
            hasUndecided = true
        }
    }

    /// Keeps only the undecided positions of objects.
    func restrictUndecided(_ presence: PresenceChunk) {
        if hasUndecided { presence.restrict(undecided) }
    }

    /// Lends a mask of a chunk's size.
    func withSpare(_ body: (UnsafeMutablePointer<UInt8>) -> Void) {
        let mask = spare.popLast() ?? .allocate(capacity: ColumnChunk.keyCount)
        body(mask)
        spare.append(mask)
    }

    /// Keeps the positions of the result that `fill` sets in a mask. It has to set each position.
    func narrow(_ fill: (UnsafeMutablePointer<UInt8>) -> Void) {
        withSpare { other in
            fill(other)
            ColumnMask.and(mask, other, ColumnChunk.keyCount)
        }
    }

    /// A mask for the elements of collections, good until it is asked for again.
    func elementMask(_ count: Int) -> UnsafeMutablePointer<UInt8> {
        if count > largeCount {
            large.deallocate()
            largeCount = max(count, largeCount * 2)
            large = .allocate(capacity: largeCount)
        }
        return large
    }
}
