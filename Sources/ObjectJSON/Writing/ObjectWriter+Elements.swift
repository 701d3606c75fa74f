import JSON
import Rows

extension ObjectWriter {
    /// Writes one element of a collection, or one value of a map: a link as its target's key.
    ///
    /// - `place`: Within a part of the collection.
    package mutating func writeElement(
        _ place: Int, of part: CollectionView, _ member: Int, _ rowClass: RowClass
    ) {
        if part.isNull(place) { return json.null() }
        switch part.element {
        case .link:
            let selection = FieldSelection(only: member, of: rowClass, named: "value")
            guard let step = selection.steps.first,
                writeTarget(
                    part.pointer(place).storedLink, step, selection, isExpanded: false)
            else { return json.null() }
        case .embedded:
            guard let inner = RowView(part.bytes(place)) else { return json.null() }
            write(inner, key: 0, names.classes[rowClass.members[member].classIndex].everything)
        default: writeElement(place, of: part)
        }
    }
}
