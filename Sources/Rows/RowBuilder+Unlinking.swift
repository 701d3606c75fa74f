import HoldfastBytes

/// The links to remove from a copy of a row. Single links and links in maps become null; lists and sets lose the element. This
/// includes links within embedded objects and `mixed` values.
protocol LostLinks {
    var schema: RowSchema { get }
    /// Reads out-of-line values; nil if they are copied unchanged.
    var source: (any OverflowSource)? { get }
    /// Whether values of a property may contain such a link.
    func concern(_ member: Int, of rowClass: RowClass) -> Bool
    /// Whether links to an object are removed.
    func include(classIndex: Int, key: UInt64) -> Bool
    /// Whether all values of a property are removed.
    func omit(_ member: Int, of rowClass: RowClass) -> Bool
    /// Whether an embedded object is removed completely.
    func include(_ row: RowView, _ member: RowClass.Member) -> Bool
    /// Appends the reference to the rest of an out-of-line collection if it is changed in place. Returns false if the rest is
    /// empty, and nil if the collection is copied into the row.
    func remove(
        from field: Field, _ member: RowClass.Member, reference: ByteBuffer,
        _ withoutLinks: (LeafView, ByteBuffer) -> Void
    ) -> Bool?
}

extension LostLinks {
    func omit(_ member: Int, of rowClass: RowClass) -> Bool { false }

    /// Whether a link of a `mixed` value is removed. False for a link to a removed class, which is read as null in any case.
    fileprivate func include(_ link: (classNumber: UInt32, key: UInt64)) -> Bool {
        guard let index = schema.classIndexByNumber[link.classNumber] else { return false }
        return include(classIndex: index, key: link.key)
    }
}

/// The links to an object that is being deleted.
private struct LinksToDeleted: LostLinks {
    let schema: RowSchema
    let classIndex: Int
    let key: UInt64
    let overflow: (any OverflowSink)?

    var source: (any OverflowSource)? { overflow }

    func concern(_ member: Int, of rowClass: RowClass) -> Bool {
        let compiled = rowClass.members[member]
        return compiled.storage.element == .link
            ? compiled.classIndex == classIndex && compiled.onDelete == .nullify
            : rowClass.linkingMembers.contains(member)
    }

    func include(classIndex: Int, key: UInt64) -> Bool {
        key == self.key && classIndex == self.classIndex
    }

    func include(_ row: RowView, _ member: RowClass.Member) -> Bool {
        schema.classes[member.classIndex].goes(
            row, withTarget: key, classIndex: classIndex, overflow)
    }

    func remove(
        from field: Field, _ member: RowClass.Member, reference: ByteBuffer,
        _ withoutLinks: (LeafView, ByteBuffer) -> Void
    ) -> Bool? {
        overflow?.removeLinks(
            to: key, classIndex: classIndex, from: field, member, schema, reference: reference,
            goes: { include($0, member) }, withoutLinks: withoutLinks)
    }
}

extension RowBuilder {
    /// Appends `stored` in the current layout without its links to an object that is being deleted. Single links and links in
    /// maps become null; lists and sets lose the element, also within embedded objects and `mixed` values. Links that declare
    /// another effect of deletion stay. An embedded object is removed if it is declared to be deleted with the target.
    ///
    /// - `classIndex`: The class of the deleted object.
    package func append(
        _ stored: RowView, _ rowClass: RowClass, withoutLinksTo key: UInt64, classIndex: Int,
        schema: RowSchema, version: UInt64, to buffer: ByteBuffer
    ) {
        append(
            stored, rowClass,
            without: LinksToDeleted(
                schema: schema, classIndex: classIndex, key: key, overflow: overflow),
            version: version, to: buffer)
    }

    /// Appends `stored` in the current layout without some links, and with some properties hidden.
    func append(
        _ stored: RowView, _ rowClass: RowClass, without lost: some LostLinks,
        hiding hidden: MemberSet = MemberSet(), version: UInt64, to buffer: ByteBuffer
    ) {
        let referencesBefore = referenceCount
        let row = OpenRow(rowClass, version: version, in: buffer)
        for (member, compiled) in rowClass.members.enumerated()
        where compiled.storage.shape != .none {
            let field = rowClass.field(member, in: stored)
            let isUnreadable = lost.source == nil && compiled.storage.isInHeap && field.isOutOfLine
            if hidden.contains(member) {
                hide(member, row)
            } else if field.isNull || isUnreadable || !lost.concern(member, of: rowClass) {
                copy(field, to: member, row)
            } else if lost.omit(member, of: rowClass) {
                hide(member, row)
            } else if compiled.storage.shape == .single {
                appendSingle(field, member, row, over: stored, without: lost)
            } else {
                appendCollection(field, member, row, without: lost)
            }
        }
        row.finish(holdsOverflow: referenceCount != referencesBefore, hiding: hidden)
    }

    /// Makes a property null, or its collection empty.
    private func hide(_ member: Int, _ row: OpenRow) {
        if row.rowClass.members[member].storage.shape == .single { return row.setNull(member) }
        let offset = row.buffer.count
        row.buffer.append(little: 0 as UInt64)
        row.close(member, from: offset)
    }

    private func appendCollection(
        _ field: Field, _ member: Int, _ row: OpenRow, without lost: some LostLinks
    ) {
        let compiled = row.rowClass.members[member]
        let offset = row.buffer.count
        func append(_ leaf: LeafView) {
            self.append(leaf, compiled, without: lost, to: row.buffer) {
                lost.include($0, compiled)
            }
        }
        if !field.isOutOfLine {
            append(LeafView(field.heap, compiled.storage))
        } else if let isLeft = lost.remove(
            from: field, compiled, reference: row.buffer,
            { self.append($0, compiled, without: lost, to: $1) { _ in false } })
        {
            if isLeft { return closeReference(member, row, from: offset) }
            row.buffer.append(little: 0 as UInt64)
        } else if let source = lost.source {
            let whole = StoredField(field, compiled.storage, source)
            withExtendedLifetime(whole) { append(LeafView(whole.bytes, compiled.storage)) }
        }
        row.close(member, from: offset)
    }

    private func appendSingle(
        _ field: Field, _ member: Int, _ row: OpenRow, over stored: RowView,
        without lost: some LostLinks
    ) {
        let compiled = row.rowClass.members[member]
        let offset = row.buffer.count
        switch compiled.storage.element {
        case .link:
            let key = field.load(UInt64.self)
            if lost.include(classIndex: compiled.classIndex, key: key) {
                return row.setNull(member)
            }
            row.store(key, at: member)
        case .mixed:
            let value = MixedView(lost.source.map { field.text($0) } ?? field.heap)
            if let link = value.link, lost.include(link) { return row.setNull(member) }
            MixedWriter(row.buffer).copy(value, without: lost)
            closeHeap(member, row, from: offset, over: stored)
        default:
            guard let inner = RowView(field.heap), !lost.include(inner, compiled) else {
                return row.setNull(member)
            }
            append(
                inner, lost.schema.classes[compiled.classIndex], without: lost, version: 0,
                to: row.buffer)
            row.close(member, from: offset)
        }
    }

    /// Appends the elements of a collection, or of one of its leaves, without some links.
    ///
    /// - `goes`: Whether an embedded object is removed.
    private func append(
        _ leaf: LeafView, _ member: RowClass.Member, without lost: some LostLinks,
        to buffer: ByteBuffer, goes: (RowView) -> Bool
    ) {
        let values = leaf.values
        let isMap = leaf.keys != nil
        switch member.storage.element {
        case .link:
            func isLost(_ index: Int) -> Bool {
                !values.isNull(index)
                    && lost.include(
                        classIndex: member.classIndex, key: values.pointer(index).storedLink)
            }
            leaf.append(
                (0..<leaf.count).filter { isMap || !isLost($0) }, to: buffer,
                isNull: { values.isNull($0) || isLost($0) }
            ) { buffer.append(values.bytes($0)) }
        case .mixed where !isMap:
            appendMixed(values, isSet: member.storage.shape == .set, to: buffer) { writer, value in
                if let link = value.link, lost.include(link) { return }
                writer.copy(value, without: lost)
            }
        case .mixed:
            leaf.append(
                Array(0..<leaf.count), to: buffer,
                isNull: {
                    values.isNull($0)
                        || MixedView(values.bytes($0)).link.map { lost.include($0) } ?? false
                }
            ) {
                MixedWriter(buffer).copy(MixedView(values.bytes($0)), without: lost)
            }
        default:
            let kept = (0..<leaf.count).filter {
                values.isNull($0) ? isMap : RowView(values.bytes($0)).map { !goes($0) } ?? false
            }
            leaf.append(kept, to: buffer, isNull: { values.isNull($0) }) { index in
                guard let inner = RowView(values.bytes(index)) else { return }
                append(
                    inner, lost.schema.classes[member.classIndex], without: lost, version: 0,
                    to: buffer)
            }
        }
    }
}

extension MixedWriter {
    /// Writes a copy of a value without some links. Lists lose the element; elsewhere the link becomes null.
    ///
    /// - `value`: Must not lie in the buffer.
    fileprivate func copy(_ value: MixedView, without lost: some LostLinks) {
        copy(value, losesElements: true) { lost.include($0) }
    }
}
