import HoldfastBytes
import HoldfastRows

/// The work of a schema change on the objects of one class, to be done before the change can be seen.
struct ClassWork {
    var source: RowClass
    /// The class as it will be, which reads the rows that are there unless they are rewritten.
    var target: RowClass
    /// Whether its rows are rewritten, into the target's space.
    var rewrites = false
    /// The indexes of the target that are built.
    var indexes: [ClassIndex] = []
    /// The numbers of properties, also of embedded classes, that get their inverse links entered.
    var links: Set<UInt32> = []
    /// Whether its objects get their own numbers as primary keys.
    var numbersObjects = false
    /// Whether the primary keys are entered into the target's space.
    var entersKeys = false

    /// Whether anything is to be written.
    var isNeeded: Bool { rewrites || !indexes.isEmpty || !links.isEmpty || entersKeys }

    /// The row that an object has after the change, valid until `buffer` is used again.
    ///
    /// - `overflow`: Reads out-of-line values.
    func newRow(
        _ key: UInt64, _ row: RowView, _ converter: RowConverter, _ overflow: any OverflowSource,
        in buffer: ByteBuffer
    ) -> RowView? {
        guard rewrites else { return row }
        return RowView(
            buffer.making { converter.append(source.index, row, key: key, overflow, to: $0) })
    }
}
