import Bytes
import Rows
import Storage

extension WriteTransaction {
    /// The most violations that are reported for one transaction.
    private static let violationCountMax = 100

    /// Enters a written row's values of unique groups, and notes what has to be unique at the end.
    ///
    /// - `old`: The row before; nil for a new object.
    /// - `changed`: The properties that differ; nil for all.
    func enterUniqueKeys(
        _ rowClass: RowClass, _ key: UInt64, from old: RowView?, to row: RowView,
        _ changed: MemberSet?, path: [DanglingLink.PathStep]
    ) {
        for (position, unique) in rowClass.uniqueKeys.enumerated() {
            if let changed, !unique.members.contains(where: { changed.contains($0) }) { continue }
            if unique.isGroup {
                if let old { removeGroupEntry(rowClass, unique, key, old) }
                keyBuffer.removeAll()
                if IndexEntry.append(
                    rowClass, group: unique, key, row, overflow, to: keyBuffer)
                {
                    overlay.put(keyBuffer.bytes)
                }
            }
            if unique.members.contains(where: { rowClass.field($0, in: row).isNull }) { continue }
            uniqueChecks.append(
                UniqueCheck(
                    source: source, path: path,
                    object: ObjectIdentity(classIndex: rowClass.index, key: key),
                    uniqueKey: position))
        }
    }

    /// Removes the entries of unique groups of a row that goes away.
    func removeGroupEntries(_ rowClass: RowClass, _ key: UInt64, _ row: RowView) {
        for unique in rowClass.uniqueKeys where unique.isGroup {
            removeGroupEntry(rowClass, unique, key, row)
        }
    }

    private func removeGroupEntry(
        _ rowClass: RowClass, _ unique: UniqueKey, _ key: UInt64, _ row: RowView
    ) {
        keyBuffer.removeAll()
        if IndexEntry.append(rowClass, group: unique, key, row, overflow, to: keyBuffer) {
            overlay.remove(keyBuffer.bytes)
        }
    }

    /// The values that were written, are to be unique and are not, as things are now: at most a hundred.
    ///
    /// Of two objects of the transaction the one that was written last is reported. Cost: one look-up for
    /// each written object and unique key; for a list or map in a `mixed` property a reading of all objects
    /// that have one there.
    package func uniqueViolations() throws(StoreError) -> [UniqueViolation] {
        try uniqueViolations(from: 0)
    }

    /// Refuses what the part that is being attempted has written, if it is not unique; else it need not
    /// be looked at again. For writes of which each has to hold by itself.
    ///
    /// - Throws: ``StoreError`` `.notUnique`.
    package func requireUniqueAttempt() throws(StoreError) {
        guard uniqueChecks.count > attemptedUniqueCheckStart else { return }
        let violations = try uniqueViolations(from: attemptedUniqueCheckStart)
        if !violations.isEmpty { throw .notUnique(violations) }
        uniqueChecks.removeSubrange(attemptedUniqueCheckStart...)
    }

    private func uniqueViolations(from start: Int) throws(StoreError) -> [UniqueViolation] {
        struct Value: Hashable {
            var object: ObjectIdentity
            var uniqueKey: Int
        }
        var violations: [UniqueViolation] = []
        // Where a value was written last; made when the first one is not unique.
        var last: [Value: Int] = [:]
        for position in start..<uniqueChecks.count {
            let check = uniqueChecks[position]
            let rowClass = rows.classes[check.object.classIndex]
            let unique = rowClass.uniqueKeys[check.uniqueKey]
            guard let holder = try otherHolder(of: check, rowClass, unique) else { continue }
            if last.isEmpty {
                for position in start..<uniqueChecks.count {
                    let check = uniqueChecks[position]
                    last[Value(object: check.object, uniqueKey: check.uniqueKey)] = position
                }
            }
            let own = Value(object: check.object, uniqueKey: check.uniqueKey)
            let other = Value(
                object: ObjectIdentity(classIndex: rowClass.index, key: holder.key),
                uniqueKey: check.uniqueKey)
            guard last[own] == position, last[other] ?? -1 < position else { continue }
            violations.append(
                UniqueViolation(
                    source: check.source, path: check.path,
                    className: rowClass.definition.name,
                    properties: unique.members.map { rowClass.definition.properties[$0].name },
                    holder: rowClass.objectText(holder.key, holder.row)))
            if violations.count == Self.violationCountMax { break }
        }
        return violations
    }

    /// Another object that has the same value; nil when there is none, and when the object is gone or has
    /// a null by now.
    private func otherHolder(
        of check: UniqueCheck, _ rowClass: RowClass, _ unique: UniqueKey
    ) throws(StoreError) -> (key: UInt64, row: RowView)? {
        let own = check.object.key
        guard let row = try row(rowClass, own) else { return nil }
        keyBuffer.removeAll()
        guard IndexEntry.appendValue(rowClass, unique, row, overflow, to: keyBuffer) else {
            return nil
        }
        let prefix = keyBuffer.array
        // All lists have the same entry, and all maps.
        let whole =
            IndexEntry.holdsElements(rowClass, unique, row, overflow)
            ? wholeValue(rowClass, unique, row) : nil
        var keys: [UInt64] = []
        try scan(KeyRange(prefix: prefix), expecting: 2) { entry, _ in
            let key = StoreKey.trailingObjectKey(entry)
            if key != own { keys.append(key) }
            return whole != nil || keys.isEmpty
        }
        for key in keys {
            guard let other = try self.row(rowClass, key) else { continue }
            if whole == nil || wholeValue(rowClass, unique, other) == whole { return (key, other) }
        }
        return nil
    }

    private func wholeValue(
        _ rowClass: RowClass, _ unique: UniqueKey, _ row: RowView
    ) -> [UInt8]? {
        let buffer = ByteBuffer(capacity: 256)
        let isThere = IndexEntry.appendValue(
            rowClass, unique, row, overflow, isWhole: true, to: buffer)
        return isThere ? buffer.array : nil
    }
}
