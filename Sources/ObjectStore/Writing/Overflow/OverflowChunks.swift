import Glibc
import HoldfastBytes
import HoldfastRows
import HoldfastStorage

/// The chunks of out-of-line values, as the transactions of a group see and change them.
///
/// A missing chunk, or a failure of storage, is noted and thrown by ``requireReadable()``. A caller that reads or changes chunks
/// calls it before the transaction ends. Only the writer's thread uses it.
final class OverflowChunks: TreeChunks, OverflowSink {
    private unowned let group: CommitGroup
    private var failure: StoreError?
    /// The class of the object that values are stored of next, its key, and the version of the values.
    private var classNumber: UInt32 = 0
    private var key: UInt64 = 0
    private(set) var version: UInt64 = 0
    /// Identities that were given in the group: with the version they make a new one.
    private(set) var identityCount: UInt32 = 0
    /// The edits of lists that lost links to an object that goes away, by the property's number, since values of an
    /// object began to be stored.
    private(set) var listEdits: [UInt32: ListEdits] = [:]

    init(_ group: CommitGroup) { self.group = group }

    /// The sizes of chunks.
    var limits: OverflowLimits { group.memory.rowBuilder.limits }

    /// Sets the object for the values that are stored next.
    func begin(_ rowClass: RowClass, _ key: UInt64, version: UInt64) {
        classNumber = rowClass.number
        self.key = key
        self.version = version
        if !listEdits.isEmpty { listEdits.removeAll() }
    }

    /// Throws the failure that reading has met since the last call.
    func requireReadable() throws(StoreError) {
        guard let failure else { return }
        self.failure = nil
        throw failure
    }

    // MARK: OverflowSource

    func overflowChunk(_ key: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        do throws(StorageError) {
            if let value = try group.storedValue(key) { return value }
            fail(StorageError(.corrupted, operation: "read chunk"))
        } catch { fail(error) }
        return nil
    }

    /// Notes why something could not be read.
    func fail(_ error: StorageError) {
        if failure == nil { failure = .storage(error) }
    }

    /// Whether the engine takes a chunk. Refused here, one that is too long is this write's fault; refused by
    /// the engine, it would be that of the whole group.
    private func fits(_ chunk: UnsafeRawBufferPointer) -> Bool {
        if chunk.count <= group.valueByteCountMax { return true }
        if failure == nil {
            failure = .tooLarge(
                detail: "A value of the object takes \(chunk.count) bytes; "
                    + "\(group.valueByteCountMax) are allowed.")
        }
        return false
    }

    // MARK: Changing

    /// Stores a chunk of a tree, which may be changed many times by one transaction.
    func put(_ key: UnsafeRawBufferPointer, _ chunk: UnsafeRawBufferPointer) {
        if fits(chunk) { group.overlay.putInPlace(key, chunk) }
    }

    func remove(_ key: UnsafeRawBufferPointer) { group.overlay.remove(key) }

    /// Removes every chunk with a key that begins with `prefix`.
    func removeAll(_ prefix: UnsafeRawBufferPointer) throws(StoreError) {
        let keys = ByteBuffer(capacity: 1024)
        var ends: [Int] = []
        try group.scan(KeyRange(prefix: Array(prefix)), expecting: 64) { key, _ in
            keys.append(key)
            ends.append(keys.count)
            return true
        }
        var start = 0
        for end in ends {
            remove(UnsafeRawBufferPointer(rebasing: keys.bytes[start..<end]))
            start = end
        }
    }

    /// A new identity: the unique prefix of the keys of a value's chunks.
    private func makeIdentity() -> ByteBuffer {
        let identity = ByteBuffer(capacity: OverflowReference.identityByteCount)
        StoreKey.appendOverflowPrefix(classNumber, key, to: identity)
        identity.append(big: version)
        identity.append(big: identityCount)
        identityCount += 1
        return identity
    }

    // MARK: OverflowSink

    func moveOut(
        _ bytes: UnsafeRawBufferPointer, _ storage: FieldStorage, over stored: Field?,
        reference: ByteBuffer
    ) {
        if storage.shape == .single {
            if let stored, !stored.isNull, stored.isOutOfLine, stored.textByteCount == bytes.count,
                compareKeys(stored.text(self), bytes) == 0
            {
                return reference.append(stored.heapOrReference)
            }
            let identity = makeIdentity()
            if fits(bytes) {
                OverflowReference.withKey(identity.bytes, 0) { _ = group.overlay.put($0, bytes) }
            }
            OverflowReference.append(textOf: identity.bytes, byteCount: bytes.count, to: reference)
            return
        }
        let leaf = LeafView(bytes, storage)
        if let stored, !stored.isNull, stored.isOutOfLine,
            StoredCollection(stored, storage, self).isEqual(to: StoredCollection(leaf))
        {
            return reference.append(stored.heapOrReference)
        }
        let editor = TreeEditor(makeIdentity(), TreeHeader(version: version), storage, limits, self)
        editor.insert(LeafSlice(leaf, 0..<leaf.count), at: 0)
        editor.appendReference(to: reference)
    }

    func removeLinks(
        to key: UInt64, classIndex: Int, from stored: Field, _ member: RowClass.Member,
        _ schema: RowSchema, reference: ByteBuffer, goes: (RowView) -> Bool,
        withoutLinks: (LeafView, ByteBuffer) -> Void
    ) -> Bool {
        guard let overflow = stored.overflow, overflow.isTree else {
            fail(StorageError(.corrupted, operation: "read reference"))
            return false
        }
        let identity = ByteBuffer(capacity: OverflowReference.identityByteCount)
        identity.append(overflow.identity)
        let editor = TreeEditor(identity, overflow.header, member.storage, limits, self)
        defer { if member.storage.shape == .list { listEdits[member.number] = editor.edits } }
        if member.storage.element == .mixed {
            let target = (classNumber: schema.classes[classIndex].number, key: key)
            let isChanged = editor.removeMixedLinks(to: target, withoutLinks)
            if isChanged { editor.setVersion(version) }
            if editor.count > 0 { editor.appendReference(to: reference) }
            return editor.count > 0
        }
        func isLink(_ part: CollectionView, _ offset: Int) -> Bool {
            if part.isNull(offset) { return false }
            if part.element == .link { return part.pointer(offset).storedLink == key }
            guard let row = RowView(part.bytes(offset)) else { return false }
            var isLinking = false
            schema.forEachLink(of: schema.classes[member.classIndex], in: row, self) {
                _, targetClass, target in
                if targetClass == classIndex, target == key { isLinking = true }
            }
            return isLinking
        }
        var isChanged = false
        if member.storage.element == .embedded,
            schema.classes[member.classIndex].members.contains(where: { $0.onDelete == .cascade })
        {
            func isDoomed(_ part: CollectionView, _ offset: Int) -> Bool {
                !part.isNull(offset) && RowView(part.bytes(offset)).map(goes) ?? false
            }
            var keptCount = 0
            _ = editor.tree.forEachLeaf(from: 0) { leaf, _ in
                for offset in 0..<leaf.count where !isDoomed(leaf.values, offset) { keptCount += 1 }
                return true
            }
            // A removed tree is freed together with the out-of-line values of its elements.
            if keptCount == 0 {
                editor.note(0, removed: editor.count, inserted: 0)
                return false
            }
            isChanged = editor.removeAll(isDoomed)
        }
        let isRewritten =
            member.storage.element == .link && member.storage.shape != .map
            ? editor.removeAll(isLink)
            : editor.rewriteLeaves(withoutLinks) { leaf in
                (0..<leaf.count).contains { isLink(leaf.values, $0) }
            }
        if isChanged || isRewritten { editor.setVersion(version) }
        if editor.count > 0 { editor.appendReference(to: reference) }
        return editor.count > 0
    }
}

/// The storage of a ``TreeEditor``'s chunks.
protocol TreeChunks: OverflowSource {
    /// Stores a chunk; the bytes are copied.
    func put(_ key: UnsafeRawBufferPointer, _ chunk: UnsafeRawBufferPointer)
    func remove(_ key: UnsafeRawBufferPointer)
    /// Notes that a chunk is damaged.
    func fail(_ error: StorageError)
}
