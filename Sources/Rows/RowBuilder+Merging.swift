import HoldfastBytes

/// A change of an object by a principal that sees only part of it: the new visible row, beside the stored row.
package struct VisibleChange {
    package let stored: RowView
    /// The object as it is shown to the principal.
    package let shown: RowView
    /// The row that the principal made from the shown one.
    package let wanted: RowView
    /// The properties in which `shown` and `wanted` differ.
    package let changed: MemberSet
    /// The properties that hold links to hidden objects.
    package let links: MemberSet
    /// The former index of each wanted element of a list that was edited element by element, by property. It refers to the shown
    /// list; nil for a new element.
    package var formers: [Int: [Int?]] = [:]

    /// Compares the shown row with the wanted one.
    package init(
        of rowClass: RowClass, stored: RowView, shown: RowView, wanted: RowView, links: MemberSet,
        _ objects: some VisibleObjects
    ) {
        self.stored = stored
        self.shown = shown
        self.wanted = wanted
        self.links = links
        changed = objects.schema.changedMembers(
            of: rowClass, from: shown, to: wanted, objects.source)
    }
}

extension RowBuilder {
    /// Appends the row of an object that a principal has changed while seeing only part of it. Hidden parts stay.
    ///
    /// Lists are compared element by element (``ListAlignment``): hidden elements stay behind their neighbours, and hidden parts
    /// of an element stay with it. A link to a hidden object, which is shown as null if it cannot be left out, stays until
    /// another value replaces it.
    ///
    /// - `objects`: Whether an object is visible.
    package func append(
        _ change: VisibleChange, _ rowClass: RowClass, objects: some VisibleObjects,
        version: UInt64, to buffer: ByteBuffer
    ) {
        let referencesBefore = referenceCount
        let row = OpenRow(rowClass, version: version, in: buffer)
        for (member, compiled) in rowClass.members.enumerated()
        where compiled.storage.shape != .none {
            let wanted = rowClass.field(member, in: change.wanted)
            let stored = rowClass.field(member, in: change.stored)
            let shown = rowClass.field(member, in: change.shown)
            if !change.changed.contains(member) {
                copy(stored, to: member, row)
            } else if !change.links.contains(member) || wanted.isNull || shown.isNull
                || compiled.storage == FieldStorage(.single, .link)
            {
                copy(wanted, to: member, row)
            } else {
                let offset = row.buffer.count
                append(
                    stored: stored, shown: shown, wanted: wanted, compiled, objects,
                    change.formers[member], to: row.buffer)
                closeHeap(member, row, from: offset, over: change.stored)
            }
        }
        row.finish(holdsOverflow: referenceCount != referencesBefore)
    }

    /// Appends one property, merged from the three rows.
    private func append(
        stored: Field, shown: Field, wanted: Field, _ member: RowClass.Member,
        _ objects: some VisibleObjects, _ formers: [Int?]?, to buffer: ByteBuffer
    ) {
        let wholes = [stored, shown, wanted].map { StoredField($0, member.storage, objects.source) }
        withExtendedLifetime(wholes) {
            if member.storage.shape == .single {
                return append(
                    stored: wholes[0].bytes, shown: wholes[1].bytes, wanted: wholes[2].bytes,
                    member, objects, to: buffer)
            }
            let leaves = wholes.map { LeafView($0.bytes, member.storage) }
            append(
                SeenElements(
                    stored: leaves[0], shown: leaves[1], wanted: leaves[2], formers: formers),
                member, objects, to: buffer)
        }
    }

    /// Appends one changed value, embedded or `mixed`.
    private func append(
        stored: UnsafeRawBufferPointer, shown: UnsafeRawBufferPointer,
        wanted: UnsafeRawBufferPointer, _ member: RowClass.Member, _ objects: some VisibleObjects,
        to buffer: ByteBuffer
    ) {
        guard member.storage.element == .embedded else {
            return MixedWriter(buffer).merge(
                MixedView(stored), shown: MixedView(shown), wanted: MixedView(wanted)
            ) { objects.sees($0) }
        }
        let inner = objects.schema.classes[member.classIndex]
        guard let before = RowView(stored), let seen = RowView(shown), let after = RowView(wanted)
        else { return buffer.append(wanted) }
        append(
            VisibleChange(
                of: inner, stored: before, shown: seen, wanted: after,
                links: MemberSet(inner.linkingMembers), objects),
            inner, objects: objects, version: 0, to: buffer)
    }

    /// A collection in the three rows.
    private struct SeenElements {
        let stored: LeafView
        let shown: LeafView
        let wanted: LeafView
        /// As in ``VisibleChange/formers``; nil if unknown.
        let formers: [Int?]?
    }

    private func append(
        _ elements: SeenElements, _ member: RowClass.Member, _ objects: some VisibleObjects,
        to buffer: ByteBuffer
    ) {
        let (stored, shown, wanted) = (elements.stored, elements.shown, elements.wanted)
        func isHidden(_ index: Int) -> Bool {
            guard !stored.values.isNull(index) else { return false }
            switch member.storage.element {
            case .link:
                return !objects.sees(
                    classIndex: member.classIndex, key: stored.values.pointer(index).storedLink)
            case .mixed:
                return MixedView(stored.values.bytes(index)).link.map { !objects.sees($0) } ?? false
            default: return false
            }
        }
        if member.storage.shape == .set {
            return append(
                wanted.values, and: stored.values, at: stored.values.indices.filter(isHidden),
                member, objects, to: buffer)
        }
        // Buffers of merged elements must stay alive until the slices are joined.
        var made: [ByteBuffer] = []
        var slices: [LeafSlice] = []
        func take(_ index: Int, of leaf: LeafView) {
            slices.append(LeafSlice(leaf, index..<(index + 1)))
        }
        func take(stored position: Int, shown index: Int, wanted own: Int) {
            if shown.values.isSame(index, wanted.values, own) { return take(position, of: stored) }
            guard member.storage.element != .link, !wanted.values.isNull(own),
                !shown.values.isNull(index), !stored.values.isNull(position)
            else { return take(own, of: wanted) }
            let value = ByteBuffer()
            append(
                stored: stored.values.bytes(position), shown: shown.values.bytes(index),
                wanted: wanted.values.bytes(own), member, objects, to: value)
            let leaf = ByteBuffer()
            LeafView.append(
                value.bytes, member.storage.element,
                under: wanted.keys.map { Array($0.bytes(own)) }, to: leaf)
            made.append(leaf)
            take(0, of: LeafView(leaf.bytes, member.storage))
        }
        if let keys = wanted.keys, let before = stored.keys {
            let hidden = stored.values.indices.filter {
                isHidden($0) && wanted.position(of: before.bytes($0)) == nil
            }
            var rest = hidden[...]
            for own in 0..<wanted.count {
                let key = keys.bytes(own)
                while let position = rest.first, compareKeys(before.bytes(position), key) < 0 {
                    take(rest.removeFirst(), of: stored)
                }
                if let index = shown.position(of: key), let position = stored.position(of: key) {
                    take(stored: position, shown: index, wanted: own)
                } else {
                    take(own, of: wanted)
                }
            }
            for position in rest { take(position, of: stored) }
        } else {
            let inner =
                member.storage.element == .embedded
                ? objects.schema.classes[member.classIndex] : nil
            let merge = ListMerge(
                storedCount: stored.count, isHidden: isHidden,
                shown: ComparedList(shown.values, of: inner, objects.schema, objects.source),
                wanted: ComparedList(wanted.values, of: inner, objects.schema, objects.source),
                formers: elements.formers)
            for step in merge.steps {
                switch step {
                case .hidden(let position): take(position, of: stored)
                case .new(let own): take(own, of: wanted)
                case .kept(let position, let index, let own):
                    take(stored: position, shown: index, wanted: own)
                }
            }
        }
        let start = buffer.count
        withExtendedLifetime(made) { LeafSlice.append(slices, member.storage, to: buffer) }
        if member.storage.element == .embedded {
            countReferences(
                in: UnsafeRawBufferPointer(rebasing: buffer.bytes[start...]), member.storage)
        }
    }

    /// Appends a set with the hidden elements of the stored set. Elements keep their hidden parts; several stored elements may
    /// look the same.
    private func append(
        _ values: CollectionView, and others: CollectionView, at hidden: [Int],
        _ member: RowClass.Member, _ objects: some VisibleObjects, to buffer: ByteBuffer
    ) {
        guard member.storage.element == .mixed else {
            let keys =
                (0..<values.count).map { values.pointer($0).storedLink }
                + hidden.map { others.pointer($0).storedLink }
            return appendLinks(keys[...], isSet: true, to: buffer)
        }
        collection.reset(.mixed)
        var partly: [[UInt8]: [Int]] = [:]
        let shown = ByteBuffer()
        for index in others.indices where !others.isNull(index) && !hidden.contains(index) {
            shown.removeAll()
            let hides = MixedWriter(shown).copy(
                MixedView(others.bytes(index)), losesElements: true
            ) { !objects.sees($0) }
            if hides { partly[shown.array, default: []].append(index) }
        }
        for index in 0..<values.count {
            if values.isNull(index) {
                collection.appendNull()
            } else if let alike = partly.isEmpty ? nil : partly[Array(values.bytes(index))] {
                for index in alike { collection.append(text: others.bytes(index)) }
            } else {
                collection.append(text: values.bytes(index))
            }
        }
        for index in hidden { collection.append(text: others.bytes(index)) }
        collection.write(to: buffer, isSet: true)
    }
}

extension CollectionView { fileprivate var indices: Range<Int> { 0..<count } }

extension VisibleObjects {
    /// Whether the target of a link in a `mixed` value is visible. True for a link to a removed class, which is read as null in
    /// any case.
    fileprivate func sees(_ link: (classNumber: UInt32, key: UInt64)) -> Bool {
        guard let index = schema.classIndexByNumber[link.classNumber] else { return true }
        return sees(classIndex: index, key: link.key)
    }
}

extension MixedWriter {
    /// Writes a value that a principal has changed while seeing only part of it. Hidden parts stay.
    ///
    /// - `stored`: The stored value. The three values must not lie in the buffer.
    /// - `shown`: The value as it is shown.
    /// - `wanted`: The value made from the shown one.
    /// - `sees`: Whether the target of a link is visible.
    fileprivate func merge(
        _ stored: MixedView, shown: MixedView, wanted: MixedView,
        _ sees: ((classNumber: UInt32, key: UInt64)) -> Bool
    ) {
        func isSame(_ a: MixedView, _ b: MixedView) -> Bool {
            a.bytes.elementsEqual(b.bytes) || a.isNull && b.isNull
        }
        func isHidden(_ index: Int) -> Bool {
            stored.element(index).link.map { !sees($0) } ?? false
        }
        if isSame(shown, wanted) { return copy(stored) }
        switch (stored.kind, shown.kind, wanted.kind) {
        case (.map, .map, .map):
            var rest = (0..<stored.count).filter {
                isHidden($0) && wanted.index(ofKey: stored.key($0)) == nil
            }[...]
            let table = begin(.map, count: wanted.count + rest.count)
            var part = 0
            func add(_ key: UnsafeRawBufferPointer, _ value: () -> Void) {
                buffer.append(key)
                close(part, of: table)
                value()
                close(part + 1, of: table)
                part += 2
            }
            for own in 0..<wanted.count {
                let key = wanted.key(own)
                while let position = rest.first, compareKeys(stored.key(position), key) < 0 {
                    add(stored.key(position)) { copy(stored.element(position)) }
                    rest.removeFirst()
                }
                add(key) {
                    if let index = shown.index(ofKey: key), let position = stored.index(ofKey: key)
                    {
                        merge(
                            stored.element(position), shown: shown.element(index),
                            wanted: wanted.element(own), sees)
                    } else {
                        copy(wanted.element(own))
                    }
                }
            }
            for position in rest {
                add(stored.key(position)) { copy(stored.element(position)) }
            }
        case (.list, .list, .list):
            let steps = ListMerge(
                storedCount: stored.count, isHidden: isHidden, shown: ComparedList(shown),
                wanted: ComparedList(wanted)
            ).steps
            let table = begin(.list, count: steps.count)
            for (part, step) in steps.enumerated() {
                switch step {
                case .hidden(let position): copy(stored.element(position))
                case .new(let own): copy(wanted.element(own))
                case .kept(let position, let index, let own):
                    merge(
                        stored.element(position), shown: shown.element(index),
                        wanted: wanted.element(own), sees)
                }
                close(part, of: table)
            }
        default: copy(wanted)
        }
    }
}
