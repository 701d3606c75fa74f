import HoldfastBytes
import HoldfastObjectModel
import HoldfastRows

/// Compared values, and values that are copied from one path to another.
extension ObjectEditor {
    /// A value that stands in the object.
    private struct Found {
        /// As it lies in a row, with everything out of line; nil for null.
        var bytes: ByteBuffer?
        var storage: FieldStorage
        /// The class of links and embedded objects.
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

    private func value(at path: EditPath, isSource: Bool) throws(EditFailure) -> Found {
        let row = try owner(path, isSource: isSource)
        guard let member = path.member else { throw .doesNotFit }
        let compiled = path.rowClass.members[member]
        var found = Found(storage: path.storage, classIndex: compiled.classIndex)
        var bytes: UnsafeRawBufferPointer?
        let whole = ByteBuffer()
        defer { withExtendedLifetime(whole) {} }
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
            path.rowClass.collection(member, in: row, transaction.overflow)
                .append(compiled.storage, to: whole)
            bytes = whole.bytes
        } else if !field.isNull {
            bytes = field.bytes(compiled.storage, transaction.overflow)
        }
        if !path.inner.isEmpty {
            found.classIndex = -1
            do throws(ElementFault) {
                let value = try MixedView(bytes).value(at: path.inner)
                bytes = value.isNull ? nil : value.bytes
            } catch { throw .missing(isSource: isSource) }
        }
        if let bytes { found.bytes = try inlined(bytes, found) }
        return found
    }

    /// A value that was found with everything out of line.
    private func inlined(
        _ bytes: UnsafeRawBufferPointer, _ found: Found
    ) throws(EditFailure) -> ByteBuffer {
        guard found.storage.element == .embedded else {
            let copy = ByteBuffer(capacity: bytes.count)
            copy.append(bytes)
            return copy
        }
        var isWhole = true
        let whole = try build(isInline: true) { builder, buffer in
            isWhole = builder.append(
                inlining: bytes, found.storage, of: classes[found.classIndex], transaction.rows,
                transaction.overflow, to: buffer, atMost: Self.inlinedByteCountMax)
        }
        if !isWhole {
            try storing { () throws(StoreError) in
                throw .transactionTooLarge(byteCountMax: Self.inlinedByteCountMax)
            }
        }
        return whole
    }

    /// The most bytes of embedded objects with everything out of line: few bytes of a request can name gigabytes, and rows
    /// reach 4 GiB.
    private static var inlinedByteCountMax: Int { 512 << 20 }

    // MARK: Comparing

    /// Whether the value at a path is the one that a draft states: whether writing it would change nothing.
    func holds(_ draft: ObjectDraft?, at path: EditPath) throws(EditFailure) -> Bool {
        if path.element == nil, path.inner.isEmpty { return try holdsStatement(draft, at: path) }
        let found = try value(at: path, isSource: false)
        guard let draft, let member = path.member, let targets = try targets(of: draft) else {
            return false
        }
        let compiled = path.rowClass.members[member]
        var expected: ByteBuffer?
        if case .bytes(let bytes) = try encoded(draft, at: path, targets, nil) { expected = bytes }
        return withExtendedLifetime((found, expected)) {
            guard let own = found.bytes?.bytes, let expected = expected?.bytes else {
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
            // Properties that the draft does not contain do not matter, because it is only compared.
            _ = builder.append(
                draft, over: path.member == nil ? .replaced(row) : .changed(row),
                version: row.version, targets: targets, to: buffer)
        }
        guard let new = RowView(candidate.bytes) else { return false }
        let changed = transaction.rows.changedMembers(
            of: path.rowClass, from: row, to: new, transaction.overflow)
        guard let member = path.member, changed.contains(member) else {
            return path.member != nil || changed.isEmpty
        }
        let fields = (path.rowClass.field(member, in: row), path.rowClass.field(member, in: new))
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

    /// The number of embedded objects that are inside one another.
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
    /// The object keys of a draft's links; nil if one leads nowhere, or names its target in full. Writes nothing.
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
