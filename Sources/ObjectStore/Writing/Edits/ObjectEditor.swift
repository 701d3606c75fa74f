import HoldfastBytes
import HoldfastObjectModel
import HoldfastRows
import HoldfastStorage

/// Applies edits to one object, one after the other, and writes the result at the end.
///
/// The row is changed in memory; an out-of-line collection where it lies. Cost of an edit: linear in the row, logarithmic in an
/// out-of-line collection. The writer's thread uses it, while the transaction's body runs.
package final class ObjectEditor {
    /// The change of a value.
    enum Change {
        case place(EditedValue, Placement)
        case remove
        case removeEqual(EditedValue)
    }

    let transaction: WriteTransaction
    let rowClass: RowClass
    let key: UInt64
    /// The operation or line that states the edits, by which errors name it.
    let source: Int
    /// The object's row as it is now, as the transaction's writer sees it.
    private var row: ByteBuffer
    /// The row from which it was made if the writer sees only a part of the object, and the hidden properties.
    private(set) var base: (row: ByteBuffer, hidden: HiddenParts)?
    /// The properties of an object that the transaction itself has made which its writer has not stated and may not read, such as
    /// defaults.
    private(set) var unshown = MemberSet()
    /// The row that is read of such an object.
    var readCopy = ByteBuffer()
    /// Whether ``row`` has to be written.
    var isChanged = false
    /// Whether values have left ``row`` since it was written.
    private var hasSpilled = false
    /// Whether values may have left rows that were never written.
    private var hasGarbage = false
    /// The editors of out-of-line collections that have changed.
    var editors: [Int: CollectionEditor] = [:]
    /// The edits of lists in ``row`` since it was written, by member.
    var lists: [Int: ListEdits] = [:]
    private var result: WriteResult?
    /// The outcome of the last edit.
    var outcome = ElementOutcome()

    /// Begins to edit an object.
    ///
    /// - `source`: The operation or line that states the edits, by which errors name it.
    /// - Throws: ``StoreError`` `.objectNotFound` or a failed precondition.
    package init(
        _ transaction: WriteTransaction, _ rowClass: RowClass, key: UInt64,
        _ precondition: Precondition, source: Int = 0
    ) throws(StoreError) {
        self.source = source
        try transaction.beginChange(of: rowClass, key, precondition)
        self.transaction = transaction
        self.rowClass = rowClass
        self.key = key
        row = ByteBuffer()
        try readRow()
        try transaction.countReading(row.count)
    }

    /// Begins again with the row that is stored.
    private func readRow() throws(StoreError) {
        guard let stored = try transaction.storedRow(rowClass, key),
            let shown = try transaction.shown(rowClass, key, stored)
        else { throw .objectNotFound }
        let buffer = ByteBuffer(capacity: shown.row.byteCount)
        buffer.append(shown.row.bytes)
        row = buffer
        base = shown.hidden.isEmpty ? nil : (buffer, shown.hidden)
        unshown = try transaction.judge?.unshown(rowClass, key, stored) ?? MemberSet()
    }

    /// Applies an edit.
    ///
    /// - `origin`: The path to the edit's value in the client's document, for errors about its links.
    /// - Throws: ``EditFailure``.
    @discardableResult
    package func apply(
        _ edit: ObjectEdit, origin: [DanglingLink.PathStep]
    ) throws(EditFailure) -> ElementOutcome {
        outcome = ElementOutcome()
        switch edit.action {
        case .place(let draft, let placement):
            let origin = WriteOrigin(source: source, path: origin)
            try change(edit.path, .place(try encoded(draft, at: edit.path, origin), placement))
        case .remove: try change(edit.path, .remove)
        case .removeEqual(let draft):
            let origin = WriteOrigin(source: source, path: origin)
            try change(edit.path, .removeEqual(try encoded(draft, at: edit.path, origin)))
        case .key(let stated, let isTest):
            guard stated == key else { throw isTest ? .isOther : .isOtherKey(property: nil) }
        case .test(let draft):
            guard try holds(draft, at: edit.path) else { throw .isOther }
        case .copy(let source):
            try change(edit.path, .place(try copied(from: source, to: edit.path), .add))
        case .move(let source):
            let value = try copied(from: source, to: edit.path)
            if source == edit.path { break }
            try change(source, .remove)
            try change(edit.path, .place(value, .add))
        }
        return outcome
    }

    package func finish() throws(StoreError) -> WriteResult {
        try flush()
        if hasGarbage, let stored = try transaction.storedRow(rowClass, key) {
            // The row does not refer to staged values, which are in their places by now.
            try transaction.leaveMigration(rowClass, key, stored)
            try transaction.group.sweepOverflow(rowClass, key, stored)
            try transaction.enterMigration(rowClass, key, stored)
        }
        guard let result else { throw .objectNotFound }
        return result
    }

    // MARK: The row

    var damaged: EditFailure { .store(.storage(StorageError(.corrupted, operation: "edit row"))) }

    /// The row as it is now, with every collection.
    ///
    /// - `member`: The property that is looked at; nil for all.
    func current(_ member: Int?) throws(EditFailure) -> RowView {
        if member.map({ editors[$0] != nil }) ?? !editors.isEmpty {
            try storing { () throws(StoreError) in try flush() }
        }
        guard let view = RowView(row.bytes) else { throw damaged }
        return view
    }

    func storing<Result>(_ body: () throws(StoreError) -> Result) throws(EditFailure) -> Result {
        do { return try body() } catch { throw .store(error) }
    }

    /// Writes the changes to the store.
    func flush() throws(StoreError) {
        func note(_ written: WriteResult) {
            var written = written
            written.isChanged = written.isChanged || (result?.isChanged ?? false)
            result = written
        }
        // Collections first: a row that is written counts the links of its collections.
        let members = editors.keys.sorted()
        for member in members {
            guard let editor = editors.removeValue(forKey: member) else { continue }
            let written = try editor.finish()
            note(written)
            if written.isChanged { judge(changeOf: member) }
        }
        guard let stored = try transaction.storedRow(rowClass, key) else { throw .objectNotFound }
        if isChanged {
            let row = try merged(self.row(row, taking: members, from: stored), members, stored)
            try countEmbedded(in: row)
            note(
                try transaction.replace(
                    rowClass, key, stored, by: row.bytes, WriteOrigin(source: source),
                    // Behind a sweep it enters by itself.
                    RowReplacement(entersMigration: !hasGarbage, lists: lists)))
        } else if result == nil {
            note(WriteResult(rowClass, key, stored, isChanged: false))
        }
        isChanged = false
        hasSpilled = false
        if !lists.isEmpty { lists.removeAll() }
        try readRow()
    }

    /// A row with some properties as they are stored.
    func row(
        _ row: ByteBuffer, taking members: [Int], from stored: RowView
    ) throws(StoreError) -> ByteBuffer {
        var row = row
        for member in members {
            guard let view = RowView(row.bytes) else {
                throw .storage(StorageError(.corrupted, operation: "edit row"))
            }
            let next = ByteBuffer(capacity: row.count + 64)
            transaction.prepareRow(rowClass, key)
            transaction.rowBuilder.append(
                view, rowClass, replacing: member, by: .value(of: stored),
                version: transaction.version, to: next)
            row = next
        }
        return row
    }

    /// Counts the out-of-line collections of embedded objects. Their links are counted when the row is written.
    private func countEmbedded(in row: ByteBuffer) throws(StoreError) {
        guard let view = RowView(row.bytes), view.holdsOverflow else { return }
        for member in rowClass.linkingMembers
        where rowClass.members[member].storage.element == .embedded {
            if let reference = rowClass.field(member, in: view).overflow {
                try transaction.countReading(reference.byteCount)
            }
        }
    }

    /// Makes a row. Values that are too large are moved out of line, unless `isInline`.
    func build(
        isInline: Bool = false, _ body: (RowBuilder, ByteBuffer) -> Void
    ) throws(EditFailure) -> ByteBuffer {
        let buffer = ByteBuffer(capacity: row.count + 64)
        let builder = transaction.rowBuilder
        let sink = builder.overflow
        transaction.prepareRow(rowClass, key)
        if isInline { builder.overflow = nil }
        let before = transaction.overflow.identityCount
        body(builder, buffer)
        builder.overflow = sink
        if transaction.overflow.identityCount != before { hasSpilled = true }
        try storing { () throws(StoreError) in
            try transaction.overflow.requireReadable()
            // A byte that is copied costs a small part of one that is read.
            try transaction.countReading(buffer.count / 8)
        }
        return buffer
    }

    // MARK: Values

    /// Resolves and encodes the content of a draft, after writing the objects that it nests.
    private func encoded(
        _ draft: ObjectDraft, at path: EditPath, _ origin: WriteOrigin
    ) throws(EditFailure) -> EditedValue {
        // An object that it nests may be this one, or link to it.
        if draft.writesObjects { try storing { () throws(StoreError) in try flush() } }
        let targets = try storing { () throws(StoreError) in try transaction.resolve(draft, origin)
        }
        if draft.writesObjects { try storing { () throws(StoreError) in try readRow() } }
        return try encoded(draft, at: path, targets, origin)
    }

    /// Encodes the content of a draft.
    ///
    /// - `origin`: Nil if it is not to be written, only compared.
    func encoded(
        _ draft: ObjectDraft, at path: EditPath, _ targets: ResolvedReferences,
        _ origin: WriteOrigin?
    ) throws(EditFailure) -> EditedValue {
        guard path.element != nil || !path.inner.isEmpty, let member = path.member else {
            return .statement(draft, targets, origin: origin ?? WriteOrigin(source: source))
        }
        var gaps = DraftGaps()
        let collection = try build(isInline: origin == nil) { builder, buffer in
            gaps = builder.appendCollection(draft, member, targets: targets, to: buffer)
        }
        if let origin {
            try storing { () throws(StoreError) in
                try transaction.requireComplete(gaps, of: draft, origin)
            }
        }
        let storage = path.rowClass.members[member].storage
        return withExtendedLifetime(collection) {
            var value: UnsafeRawBufferPointer? = collection.bytes
            if storage.shape != .single {
                let values = LeafView(collection.bytes, storage).values
                value = values.count == 0 || values.isNull(0) ? nil : values.bytes(0)
            }
            guard let value, storage.element != .mixed || !MixedView(value).isNull else {
                return .bytes(nil)
            }
            let bytes = ByteBuffer(capacity: value.count)
            bytes.append(value)
            return .bytes(bytes)
        }
    }

    // MARK: Changing

    private func change(_ path: EditPath, _ change: Change) throws(EditFailure) {
        if let root = path.root {
            if !root.isElement { _ = try current(root.member) }
        } else {
            _ = try current(nil)
        }
        // The view outlives a row that is written meanwhile.
        let held = row
        defer { withExtendedLifetime(held) {} }
        guard let view = RowView(held.bytes) else { throw damaged }
        let spilledBefore = hasSpilled
        guard let changed = try changed(view, rowClass, path.owners[...], path, change) else {
            return
        }
        try requireSameKey(view, changed, path)
        if let member = path.root?.member {
            try requirePoint(member, changed)
            unshown = unshown.subtracting(MemberSet([member]))
        }
        hasGarbage = hasGarbage || spilledBefore
        row = changed
        isChanged = true
    }

    /// Makes the row of the object, or of an embedded one, that a change leads to; nil if an out-of-line collection was changed.
    private func changed(
        _ row: RowView, _ rowClass: RowClass, _ owners: ArraySlice<EditPath.Owner>,
        _ path: EditPath, _ change: Change
    ) throws(EditFailure) -> ByteBuffer? {
        let isRoot = owners.startIndex == 0
        guard let owner = owners.first else {
            if isRoot, path.element == nil, path.inner.isEmpty {
                for member in rowClass.listMembers where path.member ?? member == member {
                    lists[member, default: ListEdits()].replace()
                }
            }
            return try changed(row, path, change, isRoot: isRoot)
        }
        let inner = transaction.rows.classes[rowClass.members[owner.member].classIndex]
        func into(_ old: RowView?) throws(EditFailure) -> ByteBuffer {
            guard let old, let new = try changed(old, inner, owners.dropFirst(), path, change)
            else { throw .missing() }
            return new
        }
        guard let element = owner.element else {
            let new = try into(rowClass.embedded(owner.member, in: row))
            return try replacing(row, rowClass, owner.member, by: .bytes(new.bytes))
        }
        return try editing(row, rowClass, owner.member, isRoot: isRoot) {
            editor throws(EditFailure) in
            guard let found = Self.index(of: element, in: editor), found.isThere,
                let (part, offset) = editor.element(found.index), !part.values.isNull(offset)
            else { throw .missing() }
            let old = ByteBuffer(capacity: part.values.bytes(offset).count)
            old.append(part.values.bytes(offset))
            let new = try into(RowView(old.bytes))
            let leaf = Self.leaf(new, rowClass.members[owner.member].storage, element.key)
            try put(
                leaf, in: found.index..<(found.index + 1),
                rowClass.members[owner.member].storage, editor)
        }
    }

    /// Makes the row that a change of its own property leads to.
    private func changed(
        _ row: RowView, _ path: EditPath, _ change: Change, isRoot: Bool
    ) throws(EditFailure) -> ByteBuffer? {
        let rowClass = path.rowClass
        guard let member = path.member else { return try stated(row, path, change) }
        let storage = rowClass.members[member].storage
        if let element = path.element {
            return try editing(row, rowClass, member, isRoot: isRoot) {
                editor throws(EditFailure) in
                if path.inner.isEmpty { return try edit(change, element, storage, in: editor) }
                guard let found = Self.index(of: element, in: editor), found.isThere,
                    let (part, offset) = editor.element(found.index)
                else { throw .missing() }
                let old = MixedView(part.values.isNull(offset) ? nil : part.values.bytes(offset))
                let new = try mixed(old, path.inner, change)
                try put(
                    Self.leaf(new, storage, element.key), in: found.index..<(found.index + 1),
                    storage, editor)
            }
        }
        guard !path.inner.isEmpty else { return try stated(row, path, change) }
        let field = rowClass.field(member, in: row)
        let old = MixedView(field.isNull ? nil : field.text(transaction.overflow))
        let new = try mixed(old, path.inner, change)
        return try replacing(row, rowClass, member, by: .bytes(new.bytes))
    }

    /// States a property, or the whole object.
    private func stated(
        _ row: RowView, _ path: EditPath, _ change: Change
    ) throws(EditFailure) -> ByteBuffer {
        let value: EditedValue
        switch change {
        case .place(let new, _): value = new
        case .remove, .removeEqual:
            guard let member = path.member else { throw .missing() }
            return try replacing(row, path.rowClass, member, by: .defaultValue)
        }
        switch value {
        case .statement(let draft, let targets, let origin):
            if let own = draft.objectKey, path.member == nil, own != key {
                throw .isOtherKey(property: nil)
            }
            var gaps = DraftGaps()
            let built = try build { builder, buffer in
                gaps = builder.append(
                    draft, over: path.member == nil ? .replaced(row) : .changed(row),
                    version: transaction.version, targets: targets, to: buffer)
            }
            try storing { () throws(StoreError) in
                try transaction.requireComplete(gaps, of: draft, origin)
            }
            return built
        case .bytes(let bytes):
            guard let member = path.member else { throw .doesNotFit }
            return try replacing(
                row, path.rowClass, member, by: bytes.map { .bytes($0.bytes) } ?? .null)
        }
    }

    func replacing(
        _ row: RowView, _ rowClass: RowClass, _ member: Int, by replacement: RowBuilder.Replacement
    ) throws(EditFailure) -> ByteBuffer {
        try build { builder, buffer in
            builder.append(
                row, rowClass, replacing: member, by: replacement, version: transaction.version,
                to: buffer)
        }
    }
}
