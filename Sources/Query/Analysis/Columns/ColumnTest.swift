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

    /// Sets each position of a mask to whether the value there in a chunk satisfies the test.
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

/// A calculation over columns of a scan's results.
package protocol ColumnCalculation: AnyObject {
    /// The columns that it needs.
    var references: Set<ColumnReference> { get }

    /// The classes of which objects are read when columns are taken.
    var linkedClasses: [Int] { get }

    /// Takes the columns of a snapshot; false if they lack the calculated values, or there is too little memory or time.
    func bind(to columns: BoundColumns, within budget: Budget) -> Bool
}

/// The columns of one snapshot, for one query.
package struct BoundColumns {
    package var columns: [ColumnReference: [ColumnChunk?]]
    /// The snapshot.
    package var source: any ObjectSource

    /// Makes a set of columns.
    package init(columns: [ColumnReference: [ColumnChunk?]], source: any ObjectSource) {
        self.columns = columns
        self.source = source
    }

    func column(_ reference: ColumnReference) -> [ColumnChunk?] { columns[reference] ?? [] }
}

/// A column that an evaluation needs: a property of a class, or which objects a class has.
package struct ColumnReference: Hashable, Sendable {
    /// The class, by position in the schema.
    package var classIndex: Int
    /// The property, by position in its class; −1 for which objects there are.
    package var member: Int

    package static func presence(_ classIndex: Int) -> ColumnReference {
        ColumnReference(classIndex: classIndex, member: -1)
    }

    /// Feeds both numbers as one, which has few bits of each: a query asks for its columns again and again.
    package func hash(into hasher: inout Hasher) { hasher.combine(classIndex << 32 ^ member) }

    /// Makes a reference.
    package init(classIndex: Int, member: Int) {
        self.classIndex = classIndex
        self.member = member
    }
}
