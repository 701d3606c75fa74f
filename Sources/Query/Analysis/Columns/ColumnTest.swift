import HoldfastRows

/// A test of the values of a column: of each object's own, or of the elements of its collection.
final class ColumnTest {
    private let reference: ColumnReference
    /// How many elements have to satisfy it; nil for a single value.
    private let quantifier: Quantifier?
    private let storage: ElementStorage
    private let test: ValueTest
    private var column: [ColumnChunk?] = []
    private(set) var kernel: ColumnKernel

    init(
        _ reference: ColumnReference, _ quantifier: Quantifier?, _ storage: ElementStorage,
        _ test: ValueTest
    ) {
        self.reference = reference
        self.quantifier = quantifier
        self.storage = storage
        self.test = test
        kernel = ColumnKernel(test, storage)
    }

    func bind(_ columns: BoundColumns) {
        column = columns.column(reference)
        // An object that the query names is known only now.
        kernel = ColumnKernel(test, storage)
    }

    /// Sets each position of a mask to whether what stands there in a chunk satisfies the test.
    func evaluate(_ chunk: Int, _ frame: ColumnFrame, into mask: UnsafeMutablePointer<UInt8>) {
        guard chunk < column.count, let chunk = column[chunk] else {
            return ColumnMask.fill(mask, ColumnChunk.keyCount, false)
        }
        if let quantifier, let chunk = chunk as? CollectionChunk {
            let held = frame.elementMask(chunk.elements.count)
            chunk.elements.evaluate(kernel, into: held)
            chunk.combine(quantifier, held, into: mask)
        } else {
            chunk.evaluate(kernel, into: mask)
        }
        frame.note(chunk.exceptions)
    }
}
