import HoldfastBytes
import HoldfastRows

/// The columns of the keys of sections and of the order of their objects. One thread at a time uses it.
package final class SectionColumns: ColumnCalculation {
    /// Neighbouring objects of a scan's result; valid until the next ones are handed over.
    package struct Batch {
        /// The codes of the keys: how many different ones came before each. Several codes may have equal keys.
        package let codes: UnsafePointer<UInt32>
        /// The ranks of the objects, see ``SortEntry/rank``; nil where object keys are the order.
        package let ranks: UnsafePointer<UInt128>?
        fileprivate let objects: ColumnBatch

        package var count: Int { objects.positions.count }

        /// The object key of one of them; it rises.
        package func key(_ index: Int) -> UInt64 { objects.key(index) }
    }

    private let coder: DictionaryEncoder
    private let isAscending: Bool
    private let order: ColumnOrder?
    private let batches = ColumnBatches()
    private let codes = BatchRoom<UInt32>()

    /// Nil for keys and orders that columns do not have.
    ///
    /// - `isAscending`: Whether small keys of sections come first.
    /// - `sort`: The order of the objects of a section; empty for that of their object keys.
    package init?(_ key: SectionKey, isAscending: Bool, sort: [SortKey], schema: RowSchema) {
        order = ColumnOrder(sort, schema: schema)
        guard sort.isEmpty || order != nil, let coder = DictionaryEncoder(key, schema)
        else { return nil }
        self.coder = coder
        self.isAscending = isAscending
    }

    package var references: Set<ColumnReference> {
        Set((order?.references ?? []) + [coder.reference].compactMap { $0 })
    }

    package var linkedClasses: [Int] {
        (order?.linkedClasses ?? []) + [coder.far?.linkedClass].compactMap { $0 }
    }

    package func bind(to columns: BoundColumns, within budget: Budget) -> Bool {
        coder.bind(to: columns, within: budget) && order?.bind(to: columns, within: budget) ?? true
    }

    /// Bytes of memory that it takes.
    package var byteCount: Int { coder.byteCount + (order?.byteCount ?? 0) }

    /// Whether equal ranks are equal sort bytes.
    package var areRanksWhole: Bool { order?.areRanksWhole ?? true }

    /// Hands over the objects of a chunk's result in the order of their object keys.
    ///
    /// - Returns: False, with nothing handed over, when the key of one is not in its column.
    package func forEach(_ chunk: Int, _ frame: ColumnFrame, _ body: (Batch) -> Void) -> Bool {
        var isWhole = true
        if let exceptions = coder.chunk(chunk)?.exceptions {
            frame.remove(exceptions) { _ in isWhole = false }
        }
        guard isWhole else { return false }
        batches.forEach(of: chunk, frame) { batch in
            coder.encode(batch, into: codes.start)
            body(Batch(codes: codes.start, ranks: order?.ranks(of: batch), objects: batch))
        }
        return true
    }

    /// Appends the key of a code, as ``SectionKeyReader`` does.
    package func append(_ code: Int, to buffer: ByteBuffer) {
        let start = buffer.count
        coder.append(code, to: buffer)
        if !isAscending { SortEvaluator.invert(from: start, in: buffer) }
    }

    /// The sort bytes of an object; valid until others are asked for.
    package func sortBytes(_ key: UInt64) -> UnsafeRawBufferPointer {
        order?.sortBytes(key) ?? UnsafeRawBufferPointer(start: nil, count: 0)
    }
}
