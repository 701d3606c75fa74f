import HoldfastJSON
import HoldfastRows

extension ObjectWriter {
    /// Writes one element of a collection, or one value of a map: a link as its target's key.
    ///
    /// - `place`: Within a part of the collection.
    package mutating func writeElement(
        _ offset: Int, of part: CollectionView, _ member: Int, _ rowClass: RowClass
    ) {
        if part.isNull(offset) { return json.null() }
        switch part.element {
        case .link:
            let classIndex = rowClass.members[member].classIndex
            if !writeTarget(part.pointer(offset).storedLink, of: classIndex) { json.null() }
        case .embedded:
            guard let inner = RowView(part.bytes(offset)) else { return json.null() }
            write(inner, key: 0, names.everything[rowClass.members[member].classIndex])
        default: writeElement(offset, of: part)
        }
    }
}
