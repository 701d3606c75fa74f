import HoldfastRows
import HoldfastStorage

extension CommitGroup {
    /// Frees the out-of-line values of `old` that `new` no longer refers to.
    ///
    /// - `old`: A row of the object that goes.
    /// - `new`: The row that stays.
    func freeOverflow(_ rowClass: RowClass, _ key: UInt64, _ old: RowView, keeping new: RowView)
        throws(StoreError)
    {
        guard old.holdsOverflow else { return }
        var kept: Set<[UInt8]> = []
        var trees: [(reference: OverflowReference, member: RowClass.Member)] = []
        if new.holdsOverflow {
            forEachReference(rowClass, new) { reference, member in
                kept.insert(Array(reference.identity))
                if member.storage.element == .embedded { trees.append((reference, member)) }
            }
        }
        // A tree that is new may have taken over embedded rows that stood in the row, or in another tree.
        for tree in trees where !refers(rowClass, old, to: tree.reference) {
            forEachReference(inElementsOf: tree.reference, tree.member) { inner, _ in
                kept.insert(Array(inner.identity))
            }
        }
        try freeOverflow(rowClass, old, except: kept)
        try sweepLostOverflow(rowClass, key, old, keeping: new)
    }

    /// Frees the values of properties that the class has lost, to which a row of an older layout may refer,
    /// when one of the present layout takes its place.
    ///
    /// - `old`: The row that goes.
    /// - `new`: The row that stays.
    func sweepLostOverflow(
        _ rowClass: RowClass, _ key: UInt64, _ old: RowView, keeping new: RowView
    ) throws(StoreError) {
        guard old.layoutNumber != rowClass.layout.number, new.layoutNumber != old.layoutNumber
        else { return }
        try sweepOverflow(rowClass, key, new)
    }

    /// Frees the out-of-line values of a row except some, and the values of the elements within them.
    func freeOverflow(_ rowClass: RowClass, _ row: RowView, except kept: Set<[UInt8]> = [])
        throws(StoreError)
    {
        guard row.holdsOverflow else { return }
        var doomed: [OverflowReference] = []
        forEachReference(rowClass, row) { reference, member in
            guard !kept.contains(Array(reference.identity)) else { return }
            doomed.append(reference)
            guard member.storage.element == .embedded else { return }
            forEachReference(inElementsOf: reference, member) { inner, _ in
                if !kept.contains(Array(inner.identity)) { doomed.append(inner) }
            }
        }
        for reference in doomed {
            if reference.isTree {
                try overflow.removeAll(reference.identity)
            } else {
                OverflowReference.withKey(reference.identity, 0) { overflow.remove($0) }
            }
        }
        try overflow.requireReadable()
    }

    /// Whether a row refers to a value, which may have changed since.
    private func refers(_ rowClass: RowClass, _ row: RowView, to reference: OverflowReference)
        -> Bool
    {
        var isFound = false
        forEachReference(rowClass, row) { own, _ in
            if own.identity.elementsEqual(reference.identity) { isFound = true }
        }
        return isFound
    }

    /// Whether embedded objects of a row that can hold links are out of line.
    func holdsEmbeddedOutOfLine(_ rowClass: RowClass, _ row: RowView) -> Bool {
        var isFound = false
        forEachReference(rowClass, row) { reference, member in
            guard reference.isTree, member.storage.element == .embedded else { return }
            if !rows.classes[member.classIndex].linkingMembers.isEmpty { isFound = true }
        }
        return isFound
    }

    /// Removes every chunk of an object.
    func freeAllOverflow(_ rowClass: RowClass, _ key: UInt64) throws(StoreError) {
        let prefix = keyBuffer.making {
            StoreKey.appendOverflowPrefix(rowClass.number, key, to: $0)
        }
        try overflow.removeAll(UnsafeRawBufferPointer(prefix))
    }

    /// Removes the chunks of an object that its row does not refer to.
    func sweepOverflow(_ rowClass: RowClass, _ key: UInt64, _ row: RowView) throws(StoreError) {
        var kept: Set<[UInt8]> = []
        forEachReference(rowClass, row) { reference, member in
            kept.insert(Array(reference.identity))
            guard member.storage.element == .embedded else { return }
            forEachReference(inElementsOf: reference, member) { inner, _ in
                kept.insert(Array(inner.identity))
            }
        }
        try overflow.requireReadable()
        let prefix = Array(
            keyBuffer.making { StoreKey.appendOverflowPrefix(rowClass.number, key, to: $0) })
        var doomed: [[UInt8]] = []
        try scan(KeyRange(prefix: prefix), expecting: 64) { chunk, _ in
            let identity = chunk.prefix(OverflowReference.identityByteCount)
            if !kept.contains(Array(identity)) { doomed.append(Array(chunk)) }
            return true
        }
        for chunk in doomed { chunk.withUnsafeBytes { overflow.remove($0) } }
    }

    /// Hands over the references of a row and of the embedded rows in it, but not of rows that are themselves elements of
    /// out-of-line collections.
    private func forEachReference(
        _ rowClass: RowClass, _ row: RowView, _ body: (OverflowReference, RowClass.Member) -> Void
    ) {
        guard row.holdsOverflow else { return }
        for (member, compiled) in rowClass.members.enumerated() where compiled.storage.isInHeap {
            let field = rowClass.field(member, in: row)
            if field.isNull { continue }
            if field.isOutOfLine {
                if let reference = field.overflow { body(reference, compiled) }
                continue
            }
            guard compiled.storage.element == .embedded else { continue }
            let embedded = rows.classes[compiled.classIndex]
            if compiled.storage.shape == .single {
                if let inner = rowClass.embedded(member, in: row) {
                    forEachReference(embedded, inner, body)
                }
                continue
            }
            let list = rowClass.inlineLeaf(member, in: row).values
            for index in 0..<list.count {
                if let inner = RowView(list.bytes(index)) {
                    forEachReference(embedded, inner, body)
                }
            }
        }
    }

    /// Hands over the references of embedded rows that are elements of a tree.
    private func forEachReference(
        inElementsOf reference: OverflowReference, _ member: RowClass.Member,
        _ body: (OverflowReference, RowClass.Member) -> Void
    ) {
        guard let tree = OverflowTree(reference, member.storage, overflow) else { return }
        let embedded = rows.classes[member.classIndex]
        _ = tree.forEachLeaf(from: 0) { leaf, _ in
            for index in 0..<leaf.count {
                guard let inner = RowView(leaf.values.bytes(index)) else { continue }
                forEachReference(embedded, inner) { reference, member in
                    body(reference, member)
                    if member.storage.element == .embedded {
                        forEachReference(inElementsOf: reference, member, body)
                    }
                }
            }
            return true
        }
    }
}
