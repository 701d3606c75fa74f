/// A part of a predicate that columns answer, for one class. Unchanged while it is evaluated, by any number of threads with
/// a frame each.
indirect enum ColumnNode {
    /// The same answer for every object.
    case constant(Bool)
    /// Holds when its part does not.
    case not(ColumnNode)
    /// Holds when all its parts do.
    case and([ColumnNode])
    /// Holds when one of its parts does.
    case or([ColumnNode])
    /// A test of a property of the object itself.
    case test(ColumnTest)
    /// A test of an object behind a to-one link.
    case link(ColumnLink)

    /// Makes the node ready for columns, and for the objects that the predicate names.
    func bind(_ columns: BoundColumns) {
        switch self {
        case .constant: break
        case .not(let part): part.bind(columns)
        case .and(let parts), .or(let parts): for part in parts { part.bind(columns) }
        case .test(let test): test.bind(columns)
        case .link(let link): link.bind(columns)
        }
    }

    /// Sets each position of a chunk's mask to whether the part holds.
    func evaluate(_ chunk: Int, _ frame: ColumnFrame, into mask: UnsafeMutablePointer<UInt8>) {
        switch self {
        case .constant(let truth): ColumnMask.fill(mask, ColumnChunk.keyCount, truth)
        case .not(let part):
            part.evaluate(chunk, frame, into: mask)
            ColumnMask.invert(mask, ColumnChunk.keyCount)
        case .and(let parts): Self.evaluate(parts, isOr: false, chunk, frame, into: mask)
        case .or(let parts): Self.evaluate(parts, isOr: true, chunk, frame, into: mask)
        case .test(let test): test.evaluate(chunk, frame, into: mask)
        case .link(let link): link.evaluate(chunk, frame, into: mask)
        }
    }

    /// The steps of evaluating a part for a chunk.
    private static let stepsOfPart = 64

    private static func evaluate(
        _ parts: [ColumnNode], isOr: Bool, _ chunk: Int, _ frame: ColumnFrame,
        into mask: UnsafeMutablePointer<UInt8>
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
