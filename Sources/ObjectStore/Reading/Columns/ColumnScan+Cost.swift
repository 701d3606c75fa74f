import HoldfastQuery
import HoldfastRows

extension ColumnScan {
    /// The preparations of planning for a scan by columns.
    struct Prepared {
        /// The program, ready to be bound.
        let program: ColumnProgram
        /// The columns of the program, and of the order where it has one.
        let columns: ResidentColumns
        /// The scan itself, where planning has begun it.
        var begun: ColumnScan?
    }

    /// The objects of the first chunk of a scan.
    struct Beginning {
        var objectCount = 0
        /// How many of them satisfy the condition.
        var matchCount = 0
        /// How many of these are behind the position where the scan begins.
        var nextCount = 0
    }

    /// One row of so many is taken to pass the columns, where the rest of the condition is tested on rows.
    private static let testedPart = 4

    /// Estimates the cost of a scan by the columns that are there; nil where they answer nothing of the query's
    /// condition. Nothing is built, and nothing counts as a use.
    ///
    /// The number of matches is not known. Rows that are read to be handed over or sorted are left out, because every other plan
    /// reads them too. The number of rows that are tested in addition to columns is guessed.
    ///
    /// - `needsOrder`: Whether it is nil too where no column has the query's order, because an index has it.
    /// - `rowCost`: The cost of testing a row.
    /// - Returns: The prepared parts of the scan, so that it does not look for them again; nil if columns answer only a part of
    ///   the condition.
    ///
    /// Cost: for a class without columns that of a lock; else some microseconds, most of them for the program,
    /// which a scan that is made with it saves.
    static func estimate(
        _ query: ObjectQuery, _ rowClass: RowClass, in transaction: ReadTransaction,
        needsOrder: Bool, rowCost: Int
    ) -> (cost: ScanCost, prepared: Prepared?)? {
        guard let store = transaction.columns, store.hasColumns(rowClass) else { return nil }
        let schema = transaction.rows
        var columns = ResidentColumns()
        let program = ColumnProgram(
            query.predicate, classIndex: rowClass.index, schema: schema
        ) { store.find($0, in: transaction, &columns) }
        guard let program else { return nil }
        var references = program.references
        if !query.isCounted, !query.sort.isEmpty {
            let order = ColumnOrder(query.sort, schema: schema)?.references
            if let order, order.allSatisfy({ store.find($0, in: transaction, &columns) }) {
                references.formUnion(order)
            } else if needsOrder {
                return nil
            }
        }
        guard transaction.mayUse(references, of: rowClass) else { return nil }
        var chunkCount = 0
        var chunk = QueryCost.columnChunk
        var far = 0
        if program.residual != nil { chunk += ColumnChunk.keyCount / testedPart * rowCost }
        for reference in references {
            guard let chunks = columns.chunks[reference] else { return nil }
            if reference.classIndex == rowClass.index {
                chunkCount = max(chunkCount, chunks.count)
                chunk += reference.member < 0 ? 0 : chunkCost(reference, program, schema)
            } else {
                far += farCost(reference, columns, program, schema)
            }
        }
        let cost = ScanCost(
            chunkCount: chunkCount, chunk: chunk, far: far, staleRowCount: columns.staleRowCount)
        return (cost, program.residual == nil ? Prepared(program: program, columns: columns) : nil)
    }

    /// The cost of a column of a class that is reached by links.
    private static func farCost(
        _ reference: ColumnReference, _ columns: ResidentColumns, _ program: ColumnProgram,
        _ schema: RowSchema
    ) -> Int {
        let present = columns.chunks[.presence(reference.classIndex)] ?? []
        if reference.member < 0 { return QueryCost.times(present.count, QueryCost.farChunk) }
        // Such a class is often much smaller than a chunk.
        let count = present.reduce(0) { $0 + (($1 as? PresenceChunk)?.objectCount ?? 0) }
        return QueryCost.times(count, chunkCost(reference, program, schema)) / ColumnChunk.keyCount
    }

    /// The cost of a chunk of a property's column.
    private static func chunkCost(
        _ reference: ColumnReference, _ program: ColumnProgram, _ schema: RowSchema
    ) -> Int {
        let rowClass = schema.classes[reference.classIndex]
        let effort = program.efforts[reference]
        return switch ColumnForm(rowClass.members[reference.member].storage) {
        case .texts: QueryCost.textChunk(effort)
        case .collections: QueryCost.collectionChunk(effort)
        case .numbers(.double), .numbers(.float): QueryCost.doubleChunk
        case .numbers, .presence, nil: QueryCost.numberChunk
        }
    }
}

/// Columns that are in memory, as a plan finds them.
struct ResidentColumns {
    var chunks: [ColumnReference: [ColumnChunk?]] = [:]
    /// How many rows changed between them and the snapshot that looks at them: at 0 they are its own.
    var staleRowCount = 0
}
