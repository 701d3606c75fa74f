import ObjectModel
import Rows

/// The results of a column's values in each group. One thread at a time uses it.
class ColumnAccumulator {
    /// The results that are asked for.
    struct Wishes: OptionSet {
        let rawValue: Int

        static let sum = Wishes(rawValue: 1)
        static let extremes = Wishes(rawValue: 2)

        init(rawValue: Int) { self.rawValue = rawValue }

        init(_ function: AggregateFunction) {
            switch function {
            case .sum, .average: self = .sum
            case .min, .max: self = .extremes
            }
        }
    }

    /// The column.
    let reference: ColumnReference
    final var wishes: Wishes
    private(set) final var column: [ColumnChunk?] = []
    private final let positions = UnsafeMutablePointer<Int32>.allocate(
        capacity: ColumnBatch.countMax)
    private final let codes = UnsafeMutablePointer<UInt32>.allocate(capacity: ColumnBatch.countMax)

    init(_ reference: ColumnReference, _ wishes: Wishes) {
        self.reference = reference
        self.wishes = wishes
    }

    deinit {
        positions.deallocate()
        codes.deallocate()
    }

    /// Takes the column of a snapshot.
    func bind(to columns: BoundColumns) { column = columns.column(reference) }

    /// Takes the column that another one has.
    func bind(as other: ColumnAccumulator) { column = other.column }

    /// Whether it does what another one is for, too, with the wishes of both.
    func isLike(_ other: ColumnAccumulator) -> Bool {
        type(of: self) == type(of: other) && reference == other.reference
    }

    /// Which positions of a chunk hold values that are not in the column; nil for none. NaN, the one exception of doubles,
    /// is no value.
    final func exceptions(of chunk: Int) -> UnsafePointer<UInt8>? {
        guard chunk < column.count, let chunk = column[chunk] else { return nil }
        return chunk is DoubleChunk ? nil : chunk.exceptions
    }

    /// An accumulator of the same column that has seen nothing, for another thread.
    func makePart() -> ColumnAccumulator { ColumnAccumulator(reference, wishes) }

    /// The bytes of memory that its groups take.
    var byteCount: Int { 0 }

    /// Makes room for groups.
    func grow(to groupCount: Int) {}

    /// Adds the values of a batch, which has no exceptions.
    ///
    /// - `groups`: The group of each object; nil where all are of the first.
    final func add(_ batch: ColumnBatch, _ groups: UnsafePointer<UInt32>?) {
        guard batch.chunk < column.count, let chunk = column[batch.chunk] else { return }
        if chunk.nulls == nil, chunk.exceptions == nil { return add(chunk, batch, groups) }
        var count = 0
        for (index, position) in batch.positions.enumerated() {
            positions[count] = position
            if let groups { codes[count] = groups[index] }
            let isNoValue =
                (chunk.nulls?[Int(position)] ?? 0) | (chunk.exceptions?[Int(position)] ?? 0)
            count += isNoValue == 0 ? 1 : 0
        }
        let values = UnsafeBufferPointer(start: UnsafePointer(positions), count: count)
        add(
            chunk, ColumnBatch(chunk: batch.chunk, positions: values),
            groups.map { _ in UnsafePointer(codes) })
    }

    /// Adds the values of a batch, none of which is null.
    func add(_ chunk: ColumnChunk, _ batch: ColumnBatch, _ groups: UnsafePointer<UInt32>?) {}

    /// Adds the groups of a part to those that `groups` names.
    func add(_ part: ColumnAccumulator, to groups: [UInt32]) {}

    /// Whether it is of use only where it is given all values: none can be added to what it has made of them.
    var needsAll: Bool { false }

    /// Makes ready for ``state(_:of:)``, when all values were added.
    ///
    /// - `byteCountMax`: Memory for what it needs besides.
    /// - Returns: False when there is too little memory, or the budget has failed.
    func settle(byteCountMax: Int, within budget: Budget) -> Bool { true }

    /// The state of an operation behind a group's values.
    func state(_ kind: AggregateOperation.Kind, of group: Int) -> AggregateState? {
        guard case .values(let function, let path) = kind else { return nil }
        let storage = path.type.storage
        return switch function {
        case .sum, .average: AggregateState(calculation(function, storage, of: group))
        case .min, .max:
            best(function, storage, of: group)
                ?? AggregateState(AggregateCalculation(function, storage))
        }
    }

    /// The sum or average of a group's values.
    func calculation(
        _ function: AggregateFunction, _ storage: ElementStorage, of group: Int
    ) -> AggregateCalculation {
        AggregateCalculation(function, storage)
    }

    /// The least or greatest of a group's values; nil where it has none.
    func best(
        _ function: AggregateFunction, _ storage: ElementStorage, of group: Int
    ) -> AggregateState? { nil }
}
