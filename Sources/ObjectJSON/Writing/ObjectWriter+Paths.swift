import HoldfastObjectStore
import HoldfastRows

extension ObjectWriter {
    /// Writes the value at the end of a path, of one object or of each object of a collection.
    mutating func writePath(
        _ step: FieldSelection.Step, of row: RowView, _ rowClass: RowClass, key: UInt64,
        _ selection: FieldSelection
    ) {
        let inner = selection.nested[Int(step.nested)]
        let member = Int(step.member)
        within(row, key, step, selection) { writer in
            guard step.kind == .throughEach else {
                guard let (found, key) = writer.target(step, of: row, key: key, rowClass) else {
                    return writer.json.null()
                }
                return writer.writeValue(inner.steps[0], of: found, inner.rowClass, key: key, inner)
            }
            let list = writer.collection(member, in: row, rowClass)
            if rowClass.members[member].storage.shape == .map {
                return writer.writePaths(list, key: key, step, inner)
            }
            writer.array { writer, isFirst in
                list.forEach(within: writer.read?.budget) { part, offset, _ in
                    guard writer.hasRoom else { return false }
                    guard let (found, key) = writer.target(offset, of: part, key: key, step)
                    else { return true }
                    writer.separate(&isFirst)
                    writer.writeValue(inner.steps[0], of: found, inner.rowClass, key: key, inner)
                    return true
                }
            }
        }
    }

    /// Writes the value at the end of a path for each value of a map, as an object. Null stays null.
    private mutating func writePaths(
        _ map: StoredCollection, key: UInt64, _ step: FieldSelection.Step, _ inner: FieldSelection
    ) {
        writeEntries(map) { writer, values, offset in
            if let (found, key) = writer.target(offset, of: values, key: key, step) {
                writer.writeValue(inner.steps[0], of: found, inner.rowClass, key: key, inner)
            } else {
                writer.json.null()
            }
        }
    }

    /// The object that an element of a collection is or leads to; nil for null. An embedded one has its owner's key.
    private func target(
        _ index: Int, of values: CollectionView, key owner: UInt64, _ step: FieldSelection.Step
    ) -> (row: RowView, key: UInt64)? {
        if values.isNull(index) { return nil }
        guard step.element == .link else {
            return RowView(values.bytes(index)).map { ($0, owner) }
        }
        let key = values.pointer(index).storedLink
        return read?.row(classIndex: Int(step.classIndex), key: key).map { ($0, key) }
    }

    /// The object that a single link or embedded object leads to; nil for null. An embedded one has its owner's key.
    func target(
        _ step: FieldSelection.Step, of row: RowView, key owner: UInt64, _ rowClass: RowClass
    ) -> (row: RowView, key: UInt64)? {
        let member = Int(step.member)
        guard step.element == .link else {
            return rowClass.embedded(member, in: row).map { ($0, owner) }
        }
        let field = rowClass.field(member, in: row)
        guard !field.isNull else { return nil }
        let key = field.load(UInt64.self)
        return read?.row(classIndex: Int(step.classIndex), key: key).map { ($0, key) }
    }
}
