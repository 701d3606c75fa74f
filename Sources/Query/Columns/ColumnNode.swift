import Rows

/// A part of a predicate that columns answer, for one class. Immutable while it is evaluated, by any number
/// of threads with a frame each.
class ColumnNode {
    /// Makes the node ready for columns, and for the objects that the predicate names.
    func bind(_ columns: BoundColumns) {}

    /// Sets each position of a chunk's mask to whether the part holds.
    func evaluate(_ chunk: Int, _ frame: ColumnFrame, into mask: UnsafeMutablePointer<UInt8>) {}
}

/// The same answer for every object.
final class ColumnConstantNode: ColumnNode {
    private let truth: Bool

    init(_ truth: Bool) { self.truth = truth }

    override func evaluate(
        _ chunk: Int, _ frame: ColumnFrame, into mask: UnsafeMutablePointer<UInt8>
    ) {
        ColumnMask.fill(mask, ColumnChunk.keyCount, truth)
    }
}

/// Holds when its part does not.
final class ColumnNotNode: ColumnNode {
    private let part: ColumnNode

    init(_ part: ColumnNode) { self.part = part }

    override func bind(_ columns: BoundColumns) { part.bind(columns) }

    override func evaluate(
        _ chunk: Int, _ frame: ColumnFrame, into mask: UnsafeMutablePointer<UInt8>
    ) {
        part.evaluate(chunk, frame, into: mask)
        ColumnMask.invert(mask, ColumnChunk.keyCount)
    }
}

/// Holds when all its parts do, or when one does.
final class ColumnChainNode: ColumnNode {
    private let parts: [ColumnNode]
    private let isOr: Bool

    /// What evaluating a part for a chunk is counted as.
    private static let stepsOfPart = 64

    init(_ parts: [ColumnNode], isOr: Bool) {
        self.parts = parts
        self.isOr = isOr
    }

    override func bind(_ columns: BoundColumns) {
        for part in parts { part.bind(columns) }
    }

    override func evaluate(
        _ chunk: Int, _ frame: ColumnFrame, into mask: UnsafeMutablePointer<UInt8>
    ) {
        let count = ColumnChunk.keyCount
        for (index, part) in parts.enumerated() {
            guard frame.budget.spend(Self.stepsOfPart) else { return }
            if index == 0 {
                part.evaluate(chunk, frame, into: mask)
                continue
            }
            // Exceptions of the other parts do not matter where nothing is left.
            if !isOr, !frame.hasUndecided, ColumnMask.first(mask, from: 0, count) == count {
                return
            }
            frame.withSpare { other in
                part.evaluate(chunk, frame, into: other)
                if isOr {
                    ColumnMask.or(mask, other, count)
                } else {
                    ColumnMask.and(mask, other, count)
                }
            }
        }
    }
}
