import HoldfastRows

/// A test of an object behind a to-one link: it is evaluated once for all objects of the far class, and
/// links are then looked up in the result.
final class ColumnLink {
    private let reference: ColumnReference
    private let presence: ColumnReference
    private let far: ColumnNode
    /// The test of a row that decides where the far class's columns cannot.
    private let farRow: MatchNode
    /// The result where a link is null or leads nowhere.
    private let nullResult: Bool
    private let linkedClass: Int
    private var column: [ColumnChunk?] = []
    /// For each key of the far class whether its object satisfies the test.
    private var table: [UInt8] = []
    /// The few keys that do, or that do not.
    private var few: (keys: [Int64], isTrue: Bool)?

    /// The most keys that links are compared with one after the other.
    private static let fewCountMax = 4

    init(
        _ reference: ColumnReference, linkedClass: Int, _ far: ColumnNode, _ farRow: MatchNode,
        nullResult: Bool
    ) {
        self.reference = reference
        self.linkedClass = linkedClass
        presence = .presence(linkedClass)
        self.far = far
        self.farRow = farRow
        self.nullResult = nullResult
    }

    func bind(_ columns: BoundColumns) {
        column = columns.column(reference)
        far.bind(columns)
        let present = columns.column(presence)
        let count = ColumnChunk.keyCount
        table = [UInt8](repeating: nullResult ? 1 : 0, count: present.count * count)
        let budget = columns.source.budget
        let frame = ColumnFrame(within: budget)
        var others: [Int64] = []
        for (index, chunk) in present.enumerated() {
            guard budget.checkLimits() else { return }
            guard let chunk = chunk as? PresenceChunk else { continue }
            let start = index << ColumnChunk.keyCountLog2
            frame.begin()
            far.evaluate(index, frame, into: frame.mask)
            frame.restrictUndecided(chunk)
            frame.settle { row(UInt64(start + $0), columns.source) }
            // From here on the mask says which objects differ from a link to nothing.
            if nullResult { ColumnMask.invert(frame.mask, count) }
            chunk.restrict(frame.mask)
            table.withUnsafeMutableBufferPointer { table in
                guard let cells = table.baseAddress else { return }
                ColumnMask.exclusiveOr(cells + start, frame.mask, count)
            }
            var position = frame.first(from: 0)
            while position < count, others.count <= Self.fewCountMax {
                others.append(Int64(start + position))
                position = frame.first(from: position + 1)
            }
        }
        few = others.count <= Self.fewCountMax ? (others, !nullResult) : nil
    }

    private func row(_ key: UInt64, _ source: any ObjectSource) -> Bool {
        guard let row = source.row(classIndex: linkedClass, key: key) else { return nullResult }
        return farRow.matches(row, key, source)
    }

    func evaluate(_ chunk: Int, _ frame: ColumnFrame, into mask: UnsafeMutablePointer<UInt8>) {
        guard chunk < column.count, let chunk = column[chunk] as? NumberChunk else {
            return ColumnMask.fill(mask, ColumnChunk.keyCount, false)
        }
        if let few {
            ColumnMask.fill(mask, chunk.count, false)
            for key in few.keys where key >= chunk.least && key <= chunk.greatest {
                chunk.addEqual(key, to: mask)
            }
            if !few.isTrue { ColumnMask.invert(mask, chunk.count) }
        } else {
            table.withUnsafeBufferPointer {
                chunk.look(up: $0, otherwise: nullResult ? 1 : 0, into: mask)
            }
        }
        chunk.applyNulls(nullResult, to: mask)
        frame.note(chunk.exceptions)
    }
}
