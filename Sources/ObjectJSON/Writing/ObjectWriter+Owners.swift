import HoldfastJSON
import HoldfastObjectStore
import HoldfastQuery
import HoldfastRows

/// Inverse links of and to embedded objects, and the owners of embedded objects.
extension ObjectWriter {
    /// Writes embedded objects of a row. The row is kept as their holder if a shown path leads back to it.
    mutating func within(
        _ row: RowView, _ key: UInt64, _ step: FieldSelection.Step, _ selection: FieldSelection,
        _ write: (inout ObjectWriter) -> Void
    ) {
        guard selection.readsHolder, step.element == .embedded else { return write(&self) }
        let before = holder
        holders.append(
            EmbeddedHolder(
                row: row, key: key, classIndex: selection.rowClass.index, member: Int(step.member),
                parent: selection.rowClass.definition.kind == .embedded ? before : -1))
        holder = holders.count - 1
        write(&self)
        holders.removeLast()
        holder = before
    }

    /// Writes an object, of an embedded one with the rows around it.
    ///
    /// - `holders`: Its own holder is the last one.
    package mutating func write(
        _ row: RowView, key: UInt64, heldBy holders: [EmbeddedHolder], _ selection: FieldSelection
    ) {
        writeEmbedded(row, key: key, holders, holders.count - 1, selection)
    }

    private mutating func writeEmbedded(
        _ row: RowView, key: UInt64, _ holders: [EmbeddedHolder], _ holder: Int,
        _ selection: FieldSelection
    ) {
        let before = (self.holders, self.holder)
        (self.holders, self.holder) = (holders, holder)
        write(row, key: key, selection)
        (self.holders, self.holder) = before
    }

    /// Writes the embedded objects that link to the one with `key`, each as often as it links, in the order of
    /// their owners and in that of the owner's properties.
    mutating func writeEmbeddedOrigins(
        _ step: FieldSelection.Step, key: UInt64, _ selection: FieldSelection
    ) {
        let member = selection.rowClass.members[Int(step.member)]
        guard let read, let property = originProperty(step, selection) else {
            return json.raw("[]")
        }
        let schema = names.schema
        let originClass = schema.classes[member.classIndex]
        let origins = EmbeddedOrigins(
            schema: schema, originClass: originClass, member: member.originProperty, target: key,
            source: read)
        let inner = nested(step, selection)
        array { writer, isFirst in
            var found: [EmbeddedHolder] = []
            read.scanOrigins(selection.rowClass.index, key, property: property) { origin, _, _ in
                guard let row = read.row(classIndex: origin.classIndex, key: origin.key) else {
                    return true
                }
                return origins.forEach(
                    in: row, of: schema.classes[origin.classIndex], key: origin.key, &found
                ) { embedded, holder, all in
                    guard writer.hasRoom else { return false }
                    writer.separate(&isFirst)
                    writer.writeEmbedded(embedded, key: origin.key, all, holder, inner)
                    return true
                }
            }
        }
    }

    /// Writes an inverse link that an embedded class declares: the row that holds the embedded object, if it does
    /// so in the property.
    mutating func writeHolder(_ step: FieldSelection.Step, _ selection: FieldSelection) {
        let member = selection.rowClass.members[Int(step.member)]
        guard holder >= 0 else { return json.raw("[]") }
        let found = holders[holder]
        guard found.classIndex == member.classIndex, found.member == member.originProperty else {
            return json.raw("[]")
        }
        json.raw("[")
        if step.kind == .embeddedOrigins {
            writeEmbedded(found.row, key: found.key, holders, found.parent, nested(step, selection))
        } else if step.kind == .expandedOrigins {
            write(found.row, key: found.key, nested(step, selection))
        } else {
            writeID(found.row, key: found.key, names.schema.classes[found.classIndex])
        }
        json.raw("]")
    }

    /// Writes `$owner`: a link, with the shown properties of the owner in the same object.
    mutating func writeOwner(_ step: FieldSelection.Step, _ selection: FieldSelection) {
        guard let owner = holders.owner(of: holder) else { return json.null() }
        let rowClass = names.schema.classes[owner.classIndex]
        json.raw("{\"$link\":{\"class\":")
        json.string(rowClass.definition.name)
        json.raw(",\"id\":")
        writeID(owner.row, key: owner.key, rowClass)
        json.raw("}")
        let shown = step.nested < 0 ? [] : selection.owners[Int(step.nested)]
        let start = buffer.count
        if let inner = shown.first(where: { $0.rowClass.index == rowClass.index }) {
            write(owner.row, key: owner.key, inner)
            // Of it nothing may be asked for, or all hidden: an empty object.
            if buffer.count > start + 2 { return buffer.store(UInt8(ascii: ","), at: start) }
            buffer.truncate(to: start)
        }
        json.raw("}")
    }
}
