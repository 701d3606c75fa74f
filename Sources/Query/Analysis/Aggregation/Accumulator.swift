import HoldfastObjectModel
import HoldfastRows

/// The values of one operation, or of several over the same values, and the totals that they are added to.
struct Accumulator {
    private enum Source {
        case column(ColumnReference)
        case far(LinkedColumn)
        case rows(RowPacker)
    }

    /// The kind of totals.
    private enum Form: Hashable {
        case numbers, doubles, stored, ranked, distinct

        /// - `kind`: An operation on values.
        /// - `ofColumn`: Whether dates are numbers, as columns have them.
        init(_ kind: AggregateOperation.Kind, _ storage: ElementStorage, ofColumn: Bool) {
            switch (kind, storage) {
            case (.percentile, _): self = .ranked
            case (.values, .int): self = .numbers
            case (.values, .date) where ofColumn: self = .numbers
            case (.values, .double), (.values, .float): self = .doubles
            case (.values, _): self = .stored
            case (.distinctCount, _), (.count, _): self = .distinct
            }
        }

        func packing(_ storage: ElementStorage) -> RowPacker.Form {
            switch (self, storage) {
            case (.distinct, _): .sortBytes
            case (.numbers, _), (.doubles, _), (.ranked, .int), (.ranked, .double),
                (.ranked, .float):
                .packed(.numbers(storage))
            case (.stored, _), (.ranked, _): .packed(.texts(storage))
            }
        }
    }

    private let source: Source
    private var column: [ColumnChunk?] = []
    var totals: any ValueTotals

    // MARK: Making

    /// An operation on values, and the position of the accumulator that calculates it.
    typealias Operation = (kind: AggregateOperation.Kind, accumulator: Int)

    /// Makes an accumulator for each path and form of the operations; nil if columns lack the values.
    static func all(
        _ question: Aggregation.Question, ofColumns: Bool
    ) -> (operations: [Operation], accumulators: [Accumulator])? {
        var operations: [Operation] = []
        var asked: [(path: ValuePath, form: Form, kinds: [AggregateOperation.Kind])] = []
        for operation in question.operations {
            guard let path = operation.kind.path else { continue }
            let isColumn = ofColumns && path.ownMember != nil
            let form = Form(operation.kind, path.type.storage, ofColumn: isColumn)
            let known = asked.firstIndex { $0.path == path && $0.form == form }
            if known == nil { asked.append((path, form, [])) }
            let index = known ?? asked.count - 1
            asked[index].kinds.append(operation.kind)
            operations.append((operation.kind, index))
        }
        let made = asked.compactMap {
            Accumulator($0.path, $0.form, $0.kinds, question, ofColumns: ofColumns)
        }
        return made.count == asked.count ? (operations, made) : nil
    }

    private init?(
        _ path: ValuePath, _ form: Form, _ kinds: [AggregateOperation.Kind],
        _ question: Aggregation.Question, ofColumns: Bool
    ) {
        let (schema, storage, isGrouped) = (
            question.schema, path.type.storage, !question.by.isEmpty
        )
        var (functions, percents): (Set<AggregateFunction>, Set<Double>) = ([], [])
        for kind in kinds {
            if case .values(let function, _) = kind { functions.insert(function) }
            if case .percentile(let percent, _) = kind { percents.insert(percent) }
        }
        var coder = DictionaryEncoder(nil, TextEncoding(.sortBytes))
        if !ofColumns {
            source = .rows(RowPacker(path, form.packing(storage), schema: schema))
        } else if form == .stored, !functions.isSubset(of: [.min, .max]) {
            // Sums of decimals are rounded: they are the same each time only where values come in one order.
            return nil
        } else if let far = LinkedColumn(path, packing: form.packing(storage), schema: schema) {
            source = .far(far)
        } else if let member = path.ownMember,
            ColumnForm(schema.classes[path.lastClass].members[member].storage) != nil
        {
            source = .column(ColumnReference(classIndex: path.lastClass, member: member))
            if form == .distinct {
                guard let own = DictionaryEncoder(GroupKey(path: path, part: .value), schema) else {
                    return nil
                }
                coder = own
            }
        } else {
            return nil
        }
        let hasExtremes = functions.contains(.min) || functions.contains(.max)
        totals =
            switch (form, storage) {
            case (.numbers, _): IntTotals(storage, hasExtremes: hasExtremes)
            case (.doubles, _):
                DoubleTotals(
                    storage, hasSum: functions.contains(.sum) || functions.contains(.average),
                    hasExtremes: hasExtremes)
            case (.stored, _): StoredTotals(path, functions)
            case (.ranked, .decimal), (.ranked, .mixed):
                RankedTotals<Decimal128>(storage, percents, isGrouped: isGrouped)
            case (.ranked, _): RankedTotals<Double>(storage, percents, isGrouped: isGrouped)
            case (.distinct, _): DistinctTotals(coder, isGrouped: isGrouped)
            }
    }

    /// An accumulator of the same that has seen nothing, for another thread.
    func makePart() -> Accumulator {
        var part = self
        part.totals = totals.makePart()
        return part
    }

    // MARK: Columns

    /// The column; nil over rows.
    var reference: ColumnReference? {
        switch source {
        case .column(let reference): reference
        case .far(let far): far.reference
        case .rows: nil
        }
    }

    /// The class of the objects that are read when columns are taken; nil without one.
    var linkedClass: Int? {
        if case .far(let far) = source { far.linkedClass } else { nil }
    }

    /// Takes the column of a snapshot; false when there is too little memory or time.
    mutating func bind(to columns: BoundColumns, within budget: Budget) -> Bool {
        guard let reference else { return true }
        column = columns.column(reference)
        guard case .far(let far) = source else { return true }
        return far.bind(to: columns, within: budget)
    }

    private func chunk(_ index: Int) -> ColumnChunk? { index < column.count ? column[index] : nil }

    /// The positions of a chunk with values that are not in the column; nil without any. NaN, the one exception of doubles,
    /// is no value.
    func exceptions(of index: Int) -> UnsafePointer<UInt8>? {
        guard let chunk = chunk(index) else { return nil }
        let hasNaN = (chunk as? NumberChunk).map { ColumnForm.hasNaN($0.storage) } ?? false
        return hasNaN ? nil : chunk.exceptions
    }

    /// Adds the values of a batch over columns.
    func add(_ batch: ColumnBatch, _ groups: UnsafePointer<UInt32>?, by values: ValueBatch) {
        guard case .far(let far) = source else {
            if let chunk = chunk(batch.chunk) { values.add(batch, of: chunk, groups, to: totals) }
            return
        }
        guard let packed = far.chunk else { return }
        let count = batch.positions.count
        withUnsafeTemporaryAllocation(of: Int64.self, capacity: count) { numbers in
            withUnsafeTemporaryAllocation(of: Int32.self, capacity: count) { positions in
                guard let start = numbers.baseAddress else { return }
                far.read(chunk(batch.chunk), batch.positions, into: start)
                for index in 0..<count {
                    positions[index] = Int32(truncatingIfNeeded: numbers[index])
                }
                let batch = ColumnBatch(
                    chunk: batch.chunk, positions: UnsafeBufferPointer(positions))
                values.add(batch, of: packed, groups, to: totals)
            }
        }
    }

    // MARK: Rows

    func pack(_ row: RowView, _ key: UInt64, _ source: any ObjectSource) {
        if case .rows(let packer) = self.source { packer.append(row, key, source) }
    }

    /// Whether no more values are to be packed into one chunk.
    var isPacked: Bool {
        if case .rows(let packer) = source { packer.isFull } else { false }
    }

    /// Adds the values that were packed, and forgets them.
    func addPacked(_ batch: ColumnBatch, _ groups: UnsafePointer<UInt32>?, by values: ValueBatch) {
        guard case .rows(let packer) = source else { return }
        values.add(batch, of: packer.seal(), groups, to: totals)
    }
}
