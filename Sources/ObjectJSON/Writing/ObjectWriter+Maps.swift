import HoldfastJSON
import HoldfastRows

extension ObjectWriter {
    /// Writes a map as an object, its members in the order of the keys' bytes.
    mutating func writeMap(
        _ step: FieldSelection.Step, of row: RowView, key: UInt64, _ selection: FieldSelection
    ) {
        let map = collection(Int(step.member), in: row, selection.rowClass)
        within(row, key, step, selection) { writer in
            writer.writeEntries(map) { $0.writeValue($2, of: $1, key: key, step, selection) }
        }
    }

    /// Writes the entries of a map as an object, each value by `write`, which gets the values and an offset.
    mutating func writeEntries(
        _ map: StoredCollection, _ write: (inout Self, CollectionView, Int) -> Void
    ) {
        json.raw("{")
        map.forEachPart(within: read?.budget) { part, first in
            guard let keys = part.keys else { return false }
            for offset in 0..<part.count {
                guard hasRoom else { return false }
                if first + offset > 0 { json.comma() }
                json.string(keys.bytes(offset))
                json.raw(":")
                write(&self, part.values, offset)
            }
            return true
        }
        json.raw("}")
    }

    private mutating func writeValue(
        _ index: Int, of values: CollectionView, key: UInt64, _ step: FieldSelection.Step,
        _ selection: FieldSelection
    ) {
        if values.isNull(index) { return json.null() }
        switch step.kind {
        case .linkMap, .expandedLinkMap:
            let isWritten = writeTarget(
                values.pointer(index).storedLink, step, selection,
                isExpanded: step.kind == .expandedLinkMap)
            // The target was deleted after this copy of the row was made, which set the link to null.
            if !isWritten { json.null() }
        case .embeddedMap:
            guard let inner = RowView(values.bytes(index)) else { return json.null() }
            write(inner, key: key, nested(step, selection))
        default: writeElement(index, of: values)
        }
    }
}
