import HoldfastObjectModel
import HoldfastRows

/// Sums and extremes of values as they are stored: of decimals, of `mixed` values, and of dates however far away.
final class StoredTotals: ValueTotals {
    private let path: ValuePath
    /// The functions that are asked, and for each one a state of every group.
    private let functions: [AggregateFunction]
    private var states: [[AggregateState]]
    /// Bytes that states have outside ``states``.
    private var outerByteCount = 0

    init(_ path: ValuePath, _ functions: Set<AggregateFunction>) {
        self.path = path
        self.functions = Array(functions)
        states = functions.map { _ in [] }
    }

    func makePart() -> StoredTotals { StoredTotals(path, Set(functions)) }

    var byteCount: Int {
        states.reduce(outerByteCount) { $0 + $1.count * MemoryLayout<AggregateState>.stride }
    }

    func grow(to groupCount: Int) {
        for (index, function) in functions.enumerated() {
            while states[index].count < groupCount {
                states[index].append(AggregateState(function, path.type.storage))
            }
        }
    }

    /// Changes a state, and notes its memory since.
    @inline(__always)
    private func change(_ index: Int, of group: UInt32, _ body: (inout AggregateState) -> Void) {
        let before = states[index][Int(group)].byteCount
        body(&states[index][Int(group)])
        outerByteCount += states[index][Int(group)].byteCount - before
    }

    func add(_ chunk: ColumnChunk, _ batch: ColumnBatch, _ groups: UnsafePointer<UInt32>?) {
        for (place, position) in batch.positions.enumerated() {
            chunk.withStored(Int(position)) { address, count in
                for index in functions.indices {
                    change(index, of: groups?[place] ?? 0) { $0.add(address, count) }
                }
            }
        }
    }

    func add(_ part: StoredTotals, to groups: [UInt32], within budget: Budget) {
        for (index, function) in functions.enumerated() {
            guard let other = part.functions.firstIndex(of: function) else { continue }
            for (state, group) in zip(part.states[other], groups)
            where group != Aggregation.dropped && budget.spend() {
                change(index, of: group) { $0.add(state) }
            }
        }
    }

    /// Adds the least and greatest values that other totals of the same values have found.
    func add(resultsOf other: any ValueTotals, to groups: [UInt32], within budget: Budget) {
        for (index, function) in functions.enumerated() {
            for (place, group) in groups.enumerated()
            where group != Aggregation.dropped && budget.spend() {
                let result = other.result(.values(function, path), of: place)
                guard case .stored(let bytes, _) = result else { continue }
                bytes.withUnsafeBytes { bytes in
                    change(index, of: group) { $0.add(bytes.baseAddress, bytes.count) }
                }
            }
        }
    }

    func result(_ kind: AggregateOperation.Kind, of group: Int) -> AggregateState.Result {
        guard case .values(let function, _) = kind, let index = functions.firstIndex(of: function)
        else { return .none }
        return states[index][group].result
    }
}
