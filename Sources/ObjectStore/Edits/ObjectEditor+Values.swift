import HoldfastBytes
import HoldfastObjectModel
import HoldfastRows

/// Values that are compared, and those that are copied from one path to another.
extension ObjectEditor {
    /// A value that stands in the object.
    private struct Found {
        /// As it lies in a row, with everything out of line; nil for null.
        var bytes: ByteBuffer?
        var storage: FieldStorage
        /// Of links and embedded objects.
        var classIndex = -1
    }

    private var classes: [RowClass] { transaction.rows.classes }

    // MARK: Reading

    /// The row of the object that holds the property at the end of a path.
    private func owner(_ path: EditPath, isSource: Bool) throws(EditFailure) -> RowView {
        let row = try readable(path.root?.member)
        let found = rowClass.embedded(
            along: path.owners, in: row, of: transaction.rows, transaction.overflow)
        guard let found else { throw .missing(isSource: isSource) }
        return found.row
    }

    /// The value at a path.
    private func value(at path: EditPath, isSource: Bool) throws(EditFailure) -> Found {
        let row = try owner(path, isSource: isSource)
        guard let member = path.member else { throw .doesNotFit }
        let compiled = path.rowClass.members[member]
        var found = Found(storage: path.storage, classIndex: compiled.classIndex)
        var bytes: UnsafeRawBufferPointer?
        let field = path.rowClass.field(member, in: row)
        if let element = path.element {
            let collection = path.rowClass.collection(member, in: row, transaction.overflow)
            guard let (part, offset) = collection.element(element) else {
                throw .missing(isSource: isSource)
            }
            bytes = part.isNull(offset) ? nil : part.bytes(offset)
        } else if compiled.storage.shape != .single {
            // As many bytes are made of it.
            let byteCount = field.overflow?.byteCount ?? 0
            try storing { () throws(StoreError) in try transaction.countReading(byteCount) }
            found.bytes = try inlined(
                path.rowClass.collection(member, in: row, transaction.overflow), compiled)
            return found
        } else if !field.isNull {
            bytes =
                compiled.storage.element.fixedByteCount.map {
                    UnsafeRawBufferPointer(start: field.slot, count: $0)
                } ?? (compiled.isEmbedded ? field.heap : field.text(transaction.overflow))
        }
        if !path.inner.isEmpty {
            found.classIndex = -1
            do throws(ElementFault) {
                let value = try MixedView(bytes).value(at: path.inner)
                bytes = value.isNull ? nil : value.bytes
            } catch {
                throw .missing(isSource: isSource)
            }
        }
        guard let bytes else { return found }
        if compiled.isEmbedded, path.inner.isEmpty {
            found.bytes = try inlined(bytes, classes[compiled.classIndex])
        } else {
            let copy = ByteBuffer(capacity: bytes.count)
            copy.append(bytes)
            found.bytes = copy
        }
        return found
    }

    /// An embedded object with everything out of line.
    private func inlined(
        _ bytes: UnsafeRawBufferPointer, _ rowClass: RowClass
    ) throws(EditFailure) -> ByteBuffer {
        var buffer = ByteBuffer(capacity: bytes.count)
        buffer.append(bytes)
        for (member, compiled) in rowClass.members.enumerated() where compiled.storage.isInHeap {
            guard let row = RowView(buffer.bytes), row.holdsOverflow else { break }
            let field = rowClass.field(member, in: row)
            let value: ByteBuffer
            if field.isNull {
                continue
            } else if compiled.storage.shape != .single {
                value = try inlined(
                    rowClass.collection(member, in: row, transaction.overflow), compiled)
            } else if compiled.isEmbedded {
                value = try inlined(field.heap, classes[compiled.classIndex])
            } else if field.isOutOfLine {
                value = ByteBuffer(capacity: field.textByteCount)
                value.append(field.text(transaction.overflow))
            } else {
                continue
            }
            buffer = try build(isInline: true) { builder, buffer in
                builder.append(
                    row, rowClass, replacing: member, by: .bytes(value.bytes),
                    version: row.version, to: buffer)
            }
        }
        return buffer
    }

    /// A collection with everything out of line.
    private func inlined(
        _ collection: StoredCollection, _ member: RowClass.Member
    ) throws(EditFailure) -> ByteBuffer {
        let buffer = ByteBuffer(capacity: 256)
        guard member.isEmbedded else {
            collection.append(member.storage, to: buffer)
            return buffer
        }
        var leaves: [ByteBuffer] = []
        for index in 0..<collection.count {
            guard let (part, offset) = collection.element(index) else { break }
            var row: ByteBuffer?
            if !part.isNull(offset) {
                row = try inlined(part.bytes(offset), classes[member.classIndex])
            }
            let leaf = ByteBuffer(capacity: 64 + (row?.count ?? 0))
            let key = collection.key(index).map { Array($0) }
            LeafView.append(row?.bytes, .embedded, under: key, to: leaf)
            leaves.append(leaf)
        }
        let slices = leaves.map { LeafSlice(LeafView($0.bytes, member.storage), 0..<1) }
        LeafSlice.append(slices, member.storage, to: buffer)
        return buffer
    }

    // MARK: Comparing

    /// Whether the value at a path is the one that a draft states: whether writing it would change nothing.
    func holds(_ draft: ObjectDraft?, at path: EditPath) throws(EditFailure) -> Bool {
        if path.element == nil, path.inner.isEmpty {
            return try holdsStatement(draft, at: path)
        }
        let found = try value(at: path, isSource: false)
        guard let draft, let member = path.member, let targets = try targets(of: draft) else {
            return false
        }
        let compiled = path.rowClass.members[member]
        let expected: UnsafeRawBufferPointer?
        let value = try encoded(draft, at: path, targets, nil)
        switch value {
        case .element(let leaf):
            let values = LeafView(leaf.bytes, compiled.storage).values
            expected = values.count == 0 || values.isNull(0) ? nil : values.bytes(0)
        case .bytes(let bytes): expected = bytes?.bytes
        case .statement: expected = nil
        }
        return withExtendedLifetime(value) {
            guard let own = found.bytes?.bytes, let expected else {
                return found.bytes == nil && expected == nil
            }
            switch found.storage.element {
            case .mixed: return MixedView.order(MixedView(own), MixedView(expected)) == 0
            case .embedded:
                guard let old = RowView(own), let new = RowView(expected) else { return false }
                return transaction.rows.changedMembers(
                    of: classes[compiled.classIndex], from: old, to: new, transaction.overflow
                ).isEmpty
            default: return own.elementsEqual(expected)
            }
        }
    }

    private func holdsStatement(
        _ draft: ObjectDraft?, at path: EditPath
    ) throws(EditFailure) -> Bool {
        let row = try owner(path, isSource: false)
        guard let draft, let targets = try targets(of: draft) else { return false }
        if path.member == nil, let own = draft.objectKey, own != key { return false }
        let candidate = try build(isInline: true) { builder, buffer in
            // What the draft does not state does not matter: it is only compared.
            _ = builder.append(
                draft, over: path.member == nil ? .replaced(row) : .changed(row),
                RowBuilder.Stamp(version: row.version), targets: targets, to: buffer)
        }
        guard let new = RowView(candidate.bytes) else { return false }
        let changed = transaction.rows.changedMembers(
            of: path.rowClass, from: row, to: new, transaction.overflow)
        guard let member = path.member, changed.contains(member) else {
            return path.member != nil || changed.isEmpty
        }
        let fields = (
            path.rowClass.field(member, in: row), path.rowClass.field(member, in: new)
        )
        // Numbers of all kinds are compared as numbers.
        guard path.storage == FieldStorage(.single, .mixed), !fields.0.isNull, !fields.1.isNull
        else { return false }
        return MixedView.order(
            MixedView(fields.0.text(transaction.overflow)), MixedView(fields.1.heap)) == 0
    }

    private func targets(of draft: ObjectDraft) throws(EditFailure) -> ResolvedReferences? {
        try storing { () throws(StoreError) in try transaction.presentTargets(of: draft) }
    }

    // MARK: Copying

    /// The value of a path, as another path takes it.
    func copied(from source: EditPath, to path: EditPath) throws(EditFailure) -> EditedValue {
        let found = try value(at: source, isSource: true)
        guard let member = path.member else { throw .doesNotFit }
        let compiled = path.rowClass.members[member]
        let storage = path.storage
        guard let bytes = found.bytes else {
            guard storage.shape == .single, compiled.isOptional || storage.element == .mixed else {
                let isObject = compiled.classIndex >= 0 && path.element != nil
                throw isObject ? .doesNotFit : .isNull
            }
            return .bytes(nil)
        }
        // A few bytes of a patch can copy a text of 16 MiB, which is read and compared or written.
        try storing { () throws(StoreError) in try transaction.countReading(2 * bytes.count) }
        let isSame =
            found.storage.element == storage.element
            && (storage.element == .mixed || found.classIndex == compiled.classIndex)
        if storage.shape == .single {
            guard found.storage.shape == .single else { throw .doesNotFit }
            let value = isSame ? bytes : try converted(bytes.bytes, found.storage.element, to: path)
            try requireFit(value.bytes, at: path)
            return .bytes(value)
        }
        guard isSame, storage.shape != .none, found.storage.shape != .single,
            (found.storage.shape == .map) == (storage.shape == .map)
        else { throw .doesNotFit }
        let values = LeafView(bytes.bytes, storage).values
        for index in 0..<values.count {
            if !values.isNull(index) {
                try requireFit(values.bytes(index), at: path)
            } else if !compiled.isOptional, storage.element != .mixed {
                throw .isNull
            }
        }
        if storage.shape == .set, found.storage.shape == .list {
            return .bytes(Self.set(of: values))
        }
        return .bytes(bytes)
    }

    private static func set(of values: CollectionView) -> ByteBuffer {
        let collection = ScalarCollectionBuilder()
        collection.reset(values.element)
        for index in 0..<values.count {
            values.isNull(index)
                ? collection.appendNull() : collection.append(text: values.bytes(index))
        }
        let buffer = ByteBuffer(capacity: 256)
        collection.write(to: buffer, isSet: true)
        return buffer
    }

    /// A plain value as another property takes it, if nothing is lost.
    private func converted(
        _ bytes: UnsafeRawBufferPointer, _ element: ElementStorage, to path: EditPath
    ) throws(EditFailure) -> ByteBuffer {
        let buffer = ByteBuffer(capacity: 64)
        let value = Value(stored: bytes, element)
        let to = path.storage.element
        guard element != .link, element != .embedded, let member = path.member else {
            throw .doesNotFit
        }
        if to == .mixed {
            MixedWriter(buffer).value(value)
            return buffer
        }
        guard let scalar = path.rowClass.definition.properties[member].scalar,
            case .exact(let converted) = value.converted(to: scalar)
        else { throw .doesNotFit }
        let collection = ScalarCollectionBuilder()
        collection.reset(to)
        collection.append(value: converted)
        guard let last = collection.last else { throw .doesNotFit }
        buffer.append(last)
        return buffer
    }

    /// Refuses a value that its new property does not allow.
    private func requireFit(
        _ bytes: UnsafeRawBufferPointer, at path: EditPath
    ) throws(EditFailure) {
        guard let member = path.member else { return }
        let compiled = path.rowClass.members[member]
        switch path.storage.element {
        case .mixed:
            if MixedView(bytes).fault(depth: path.inner.count) != nil { throw .isTooDeep }
        case .embedded:
            let depth = path.owners.count + depth(bytes, classes[compiled.classIndex])
            if depth > ModelLimits.embeddingDepthMax { throw .isTooDeep }
        case .int:
            if let address = bytes.baseAddress, !compiled.holds(address.storedInt) {
                throw .doesNotFit
            }
        default: break
        }
        if compiled.hasCases, let cases = path.rowClass.cases[member],
            !cases.holds(bytes, path.storage.element, scratch: ByteBuffer(capacity: 64))
        {
            throw .doesNotFit
        }
    }

    /// How many embedded objects are inside one another.
    private func depth(_ bytes: UnsafeRawBufferPointer, _ rowClass: RowClass) -> Int {
        guard let row = RowView(bytes) else { return 1 }
        var deepest = 0
        for (member, compiled) in rowClass.members.enumerated() where compiled.isEmbedded {
            let inner = classes[compiled.classIndex]
            if compiled.storage.shape == .single {
                if let row = rowClass.embedded(member, in: row) {
                    deepest = max(deepest, depth(row.bytes, inner))
                }
                continue
            }
            rowClass.collection(member, in: row, transaction.overflow).forEach(within: nil) {
                part, offset, _ in
                if !part.isNull(offset) { deepest = max(deepest, depth(part.bytes(offset), inner)) }
                return true
            }
        }
        return deepest + 1
    }
}

extension WriteTransaction {
    /// The object keys of a draft's links; nil when one leads nowhere, or names its target in full. Writes
    /// nothing.
    fileprivate func presentTargets(
        of draft: ObjectDraft
    ) throws(StoreError) -> ResolvedReferences? {
        var resolved = ResolvedReferences()
        for reference in draft.references {
            switch try target(of: reference, draft) {
            case .found(let key), .stated(let key):
                guard try row(rows.classes[reference.classIndex], key) != nil else { return nil }
                resolved.keys.append(key)
            case .absent, nil: return nil
            }
        }
        for (position, child) in draft.children.enumerated() {
            guard let targets = try presentTargets(of: child) else { return nil }
            resolved.children[position] = targets
        }
        return resolved
    }
}
