import Rows

/// A test of what a column holds.
class ColumnTestNode: ColumnNode {
    private let reference: ColumnReference
    private let storage: ElementStorage
    private let test: ValueTest
    private var column: [ColumnChunk?] = []
    final private(set) var kernel: ColumnKernel

    init(_ reference: ColumnReference, _ storage: ElementStorage, _ test: ValueTest) {
        self.reference = reference
        self.storage = storage
        self.test = test
        kernel = ColumnKernel(test, storage)
    }

    override final func bind(_ columns: BoundColumns) {
        column = columns.column(reference)
        // An object that the query names is known only now.
        kernel = ColumnKernel(test, storage)
    }

    override final func evaluate(
        _ chunk: Int, _ frame: ColumnFrame, into mask: UnsafeMutablePointer<UInt8>
    ) {
        guard chunk < column.count, let chunk = column[chunk] else {
            return ColumnMask.fill(mask, ColumnChunk.keyCount, false)
        }
        evaluate(chunk, frame, into: mask)
        frame.note(chunk.exceptions)
    }

    /// Sets each position of a mask to whether what stands there in the chunk satisfies the test.
    func evaluate(
        _ chunk: ColumnChunk, _ frame: ColumnFrame, into mask: UnsafeMutablePointer<UInt8>
    ) {}
}

/// A test of a property of the object itself.
final class ColumnFieldNode: ColumnTestNode {
    override func evaluate(
        _ chunk: ColumnChunk, _ frame: ColumnFrame, into mask: UnsafeMutablePointer<UInt8>
    ) {
        chunk.evaluate(kernel, into: mask)
    }
}

/// A quantified test of the elements of a collection of the object itself.
final class ColumnElementsNode: ColumnTestNode {
    private let quantifier: Quantifier

    init(
        _ reference: ColumnReference, _ quantifier: Quantifier, _ storage: ElementStorage,
        _ test: ValueTest
    ) {
        self.quantifier = quantifier
        super.init(reference, storage, test)
    }

    override func evaluate(
        _ chunk: ColumnChunk, _ frame: ColumnFrame, into mask: UnsafeMutablePointer<UInt8>
    ) {
        guard let chunk = chunk as? CollectionChunk else {
            return ColumnMask.fill(mask, ColumnChunk.keyCount, false)
        }
        let held = frame.elementMask(chunk.elements.count)
        chunk.elements.evaluate(kernel, into: held)
        chunk.combine(quantifier, held, into: mask)
    }
}
