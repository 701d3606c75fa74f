import HoldfastBytes

extension RowBuilder {
    /// An object that is going away.
    private struct Target {
        let schema: RowSchema
        let classIndex: Int
        let key: UInt64

        /// Its name in `mixed` values.
        var link: (classNumber: UInt32, key: UInt64) { (schema.classes[classIndex].number, key) }

        /// Whether values of a property may hold a link to it that is to be taken out.
        func concerns(_ member: Int, of rowClass: RowClass) -> Bool {
            let compiled = rowClass.members[member]
            return compiled.storage.element == .link
                ? compiled.classIndex == classIndex && compiled.onDelete == .nullify
                : rowClass.linkingMembers.contains(member)
        }
    }

    /// Appends `stored` in the current layout without its links to one object, which is going away:
    /// single links and those of maps become null, lists and sets lose the element, also within embedded
    /// objects and `mixed` values. Links that say something else of deletion stay, and an embedded object
    /// that is to go with the target goes.
    ///
    /// - `classIndex`: The class of the object that goes away.
    package func append(
        _ stored: RowView, _ rowClass: RowClass, withoutLinksTo key: UInt64, classIndex: Int,
        schema: RowSchema, version: UInt64, to buffer: ByteBuffer
    ) {
        append(
            stored, rowClass, without: Target(schema: schema, classIndex: classIndex, key: key),
            version: version, to: buffer)
    }

    private func append(
        _ stored: RowView, _ rowClass: RowClass, without target: Target, version: UInt64,
        to buffer: ByteBuffer
    ) {
        let referencesBefore = referenceCount
        let row = OpenRow(rowClass, version: version, in: buffer)
        for (member, compiled) in rowClass.members.enumerated()
        where compiled.storage.shape != .none {
            let field = rowClass.field(member, in: stored)
            let isUnreadable = overflow == nil && compiled.storage.isInHeap && field.isOutOfLine
            if field.isNull || isUnreadable || !target.concerns(member, of: rowClass) {
                copy(field, to: member, row)
            } else if compiled.storage.shape == .single {
                appendSingle(field, member, row, over: stored, without: target)
            } else {
                let offset = buffer.count
                if field.isOutOfLine {
                    if let overflow, removeLinks(overflow, field, compiled, to: target, buffer) {
                        closeReference(member, row, from: offset)
                        continue
                    }
                    buffer.append(little: 0 as UInt64)
                } else {
                    let leaf = LeafView(field.heap, compiled.storage)
                    append(leaf, compiled, without: target, to: buffer) {
                        goes($0, compiled, with: target)
                    }
                }
                row.close(member, from: offset)
            }
        }
        row.finish(holdsOverflow: referenceCount != referencesBefore)
    }

    /// Whether an embedded object is to go with the target.
    private func goes(_ row: RowView, _ member: RowClass.Member, with target: Target) -> Bool {
        target.schema.classes[member.classIndex].goes(
            row, withTarget: target.key, classIndex: target.classIndex, overflow)
    }

    private func appendSingle(
        _ field: Field, _ member: Int, _ row: OpenRow, over stored: RowView, without target: Target
    ) {
        let compiled = row.rowClass.members[member]
        let offset = row.buffer.count
        switch compiled.storage.element {
        case .link:
            if field.load(UInt64.self) == target.key { return row.setNull(member) }
            row.store(field.load(UInt64.self), at: member)
        case .mixed:
            let value = MixedView(overflow.map { field.text($0) } ?? field.heap)
            if let link = value.link, link == target.link { return row.setNull(member) }
            MixedWriter(row.buffer).copy(value, withoutLinksTo: target.link)
            closeHeap(member, row, from: offset, over: stored)
        default:
            guard let inner = RowView(field.heap), !goes(inner, compiled, with: target) else {
                return row.setNull(member)
            }
            append(
                inner, target.schema.classes[compiled.classIndex], without: target, version: 0,
                to: row.buffer)
            row.close(member, from: offset)
        }
    }

    /// Appends the elements of a collection, or of a leaf of one, without their links to an object.
    ///
    /// - `goes`: Whether an embedded object goes.
    private func append(
        _ leaf: LeafView, _ member: RowClass.Member, without target: Target, to buffer: ByteBuffer,
        goes: (RowView) -> Bool
    ) {
        let values = leaf.values
        let isMap = leaf.keys != nil
        switch member.storage.element {
        case .link:
            func isTarget(_ index: Int) -> Bool {
                !values.isNull(index) && values.pointer(index).storedLink == target.key
            }
            leaf.append(
                (0..<leaf.count).filter { isMap || !isTarget($0) }, to: buffer,
                isNull: { values.isNull($0) || isTarget($0) }
            ) { buffer.append(values.bytes($0)) }
        case .mixed where !isMap:
            appendMixed(values, isSet: member.storage.shape == .set, to: buffer) { writer, value in
                if let link = value.link, link == target.link { return }
                writer.copy(value, withoutLinksTo: target.link)
            }
        case .mixed:
            leaf.append(
                Array(0..<leaf.count), to: buffer,
                isNull: {
                    values.isNull($0)
                        || MixedView(values.bytes($0)).link.map { $0 == target.link } ?? false
                }
            ) {
                MixedWriter(buffer).copy(
                    MixedView(values.bytes($0)), withoutLinksTo: target.link)
            }
        default:
            let kept = (0..<leaf.count).filter {
                values.isNull($0) ? isMap : RowView(values.bytes($0)).map { !goes($0) } ?? false
            }
            leaf.append(kept, to: buffer, isNull: { values.isNull($0) }) { index in
                guard let inner = RowView(values.bytes(index)) else { return }
                append(
                    inner, target.schema.classes[member.classIndex], without: target, version: 0,
                    to: buffer)
            }
        }
    }

    /// Takes the links to an object out of an out-of-line collection where they lie, and appends the reference to
    /// what is left.
    ///
    /// - Returns: Whether an element is left.
    private func removeLinks(
        _ overflow: any OverflowSink, _ field: Field, _ member: RowClass.Member, to target: Target,
        _ buffer: ByteBuffer
    ) -> Bool {
        overflow.removeLinks(
            to: target.key, classIndex: target.classIndex, from: field, member, target.schema,
            reference: buffer, goes: { goes($0, member, with: target) }
        ) { leaf, buffer in
            append(leaf, member, without: target, to: buffer) { _ in false }
        }
    }
}
