import HoldfastBytes
import HoldfastObjectModel
import HoldfastRows

extension CatalogPlan {
    /// Gives the newest layout of each listed class its fill row: the declared constants, the
    /// migration's time for `$now`, and zero values for the rest.
    static func withFillRows(
        _ classes: [Catalog.StoredClass], _ positions: Set<Int>
    ) -> [Catalog.StoredClass] {
        var result = classes
        let builder = RowBuilder()
        builder.now = Timestamp.now()
        // Defaults of embedded objects are null and of collections empty, so classes don't depend on
        // each other's fill rows, and a catalog without them can lay out all rows.
        let draft = Catalog(
            revision: 0, schemaVersion: nil, classes: classes, projections: [], nextClass: 1,
            nextProperty: 1)
        let buffer = ByteBuffer()
        for position in positions {
            buffer.removeAll()
            builder.appendFill(draft.rows.classes[position], to: buffer)
            let last = result[position].layouts.count - 1
            result[position].layouts[last].fillRow = buffer.array
        }
        return result
    }
}
