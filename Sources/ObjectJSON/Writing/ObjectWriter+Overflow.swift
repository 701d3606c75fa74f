import HoldfastRows

extension ObjectWriter {
    /// Limits the elements of large collections that a reply or an event shows.
    ///
    /// - `elementCountMax`, `byteCountMax`: The most elements and stored bytes of a collection that is shown.
    package mutating func limitCollections(elementCountMax: Int, byteCountMax: Int) {
        collectionElementCountMax = elementCountMax
        collectionByteCountMax = byteCountMax
    }

    /// Whether a member is too large for a reply, or is no longer known.
    package func omits(
        _ step: FieldSelection.Step, of row: RowView, _ rowClass: RowClass, key: UInt64,
        _ selection: FieldSelection
    ) -> Bool {
        switch step.kind {
        case .through:
            let inner = selection.nested[Int(step.nested)]
            guard inner.endsInCollection,
                let (found, key) = target(step, of: row, key: key, rowClass)
            else { return false }
            return omits(inner.steps[0], of: found, inner.rowClass, key: key, inner)
        case .origins, .expandedOrigins, .embeddedOrigins:
            // As many links as a stored list could have.
            let linkCountMax = min(
                collectionElementCountMax, collectionByteCountMax / MemoryLayout<UInt64>.size)
            guard let read, linkCountMax < Int.max / MemoryLayout<UInt64>.size,
                let property = originProperty(step, selection)
            else { return false }
            return read.hasOrigins(
                selection.rowClass.index, key, property: property, linkCountAbove: linkCountMax)
        case .scalars, .links, .expandedLinks, .embeddedList, .map, .linkMap,
            .expandedLinkMap, .embeddedMap, .throughEach:
            let field = rowClass.field(Int(step.member), in: row)
            if row.holdsOverflow, let reference = field.overflow {
                return hidesOverflow || read == nil || reference.count > collectionElementCountMax
                    || reference.byteCount > collectionByteCountMax
            }
            // Each element takes a byte at least.
            return field.heap.count > collectionByteCountMax
                || field.heap.count > collectionElementCountMax
                    && rowClass.inlineLeaf(Int(step.member), in: row).count
                        > collectionElementCountMax
        case .scalar:
            guard row.holdsOverflow, step.element.fixedByteCount == nil else { return false }
            let field = rowClass.field(Int(step.member), in: row)
            return !field.isNull && field.isOutOfLine && (hidesOverflow || read == nil)
        default: return false
        }
    }

    /// Writes the names of members that were left out.
    package func write(_ omitted: [FieldSelection.Step], _ selection: FieldSelection) {
        json.raw(",\"$omitted\":[")
        for (position, step) in omitted.enumerated() {
            if position > 0 { json.comma() }
            // Between the comma before and the colon behind.
            let start = Int(step.nameStart) + 1
            json.raw(
                UnsafeRawBufferPointer(
                    rebasing: selection.names[start..<(start + Int(step.nameCount) - 2)]))
        }
        json.raw("]")
    }

    /// The bytes of a string or data value, wherever they lie.
    package func text(_ field: Field) -> UnsafeRawBufferPointer {
        read.map { field.text($0) } ?? field.heap
    }

    /// A collection, wherever it lies.
    func collection(_ member: Int, in row: RowView, _ rowClass: RowClass) -> StoredCollection {
        guard row.holdsOverflow, let read else {
            return StoredCollection(rowClass.inlineLeaf(member, in: row))
        }
        return rowClass.collection(member, in: row, read)
    }
}
