import HoldfastBytes
import HoldfastRows
import HoldfastStorage

/// The values of a transaction that have to be unique when it ends.
struct UniqueChecks {
    private struct Value: Hashable {
        var object: ObjectIdentity
        /// The position among the unique keys of the class.
        var uniqueKey: Int
    }

    /// The most violations that are reported for one transaction.
    private static let violationCountMax = 100

    private let group: CommitGroup
    private var checks: [(origin: WriteOrigin, value: Value)] = []

    init(_ group: CommitGroup) { self.group = group }

    /// Enters a row's values of unique groups, and notes the values to be checked at the end.
    mutating func enter(_ change: RowChange, _ origin: WriteOrigin) {
        let rowClass = change.rowClass
        for (position, unique) in rowClass.uniqueKeys.enumerated()
        where unique.members.contains(where: change.concerns) {
            if unique.isGroup {
                if let old = change.old, let entry = groupEntry(unique, change, old) {
                    group.overlay.remove(entry)
                }
                if let new = change.new, let entry = groupEntry(unique, change, new) {
                    group.overlay.put(entry)
                }
            }
            guard let new = change.new,
                !unique.members.contains(where: { rowClass.field($0, in: new).isNull })
            else { continue }
            let object = ObjectIdentity(classIndex: rowClass.index, key: change.key)
            checks.append((origin, Value(object: object, uniqueKey: position)))
        }
    }

    private func groupEntry(
        _ unique: UniqueKey, _ change: RowChange, _ row: RowView
    ) -> UnsafeRawBufferPointer? {
        let buffer = group.keyBuffer
        buffer.removeAll()
        let isThere = IndexEntry.append(
            change.rowClass, group: unique, change.key, row, group.overflow, to: buffer)
        return isThere ? buffer.bytes : nil
    }

    // MARK: Checking

    /// The values that were written, are to be unique and are not, as things are now: at most a hundred.
    ///
    /// If two objects of the transaction collide, the later one is reported. Cost: one look-up for each written object and unique
    /// key; for a list or map in a `mixed` property a reading of all objects that have one there.
    ///
    /// - `start`: The number of checks that are left out, the oldest ones.
    /// - `judge`: Says which objects and properties may be named; nil for all.
    func violations(
        from start: Int = 0, for judge: WriteAuthorizer?
    ) throws(StoreError) -> [UniqueViolation] {
        var violations: [UniqueViolation] = []
        // Where a value was written last; made when the first one is not unique.
        var last: [Value: Int] = [:]
        // The values that were reported once as not unique and must not be named.
        var unnamed: Set<ObjectIdentity> = []
        for position in start..<checks.count {
            let (origin, own) = checks[position]
            let rowClass = group.rows.classes[own.object.classIndex]
            let unique = rowClass.uniqueKeys[own.uniqueKey]
            guard let holder = try otherHolder(of: unique, rowClass, own.object.key) else {
                continue
            }
            if last.isEmpty {
                for position in start..<checks.count { last[checks[position].value] = position }
            }
            var other = own
            other.object.key = holder.key
            guard last[own] == position, last[other] ?? -1 < position else { continue }
            let areNamed = try areSeen(unique, rowClass, own.object.key, judge)
            guard areNamed || unnamed.insert(own.object).inserted else { continue }
            let isHolderNamed =
                try judge?.sees(unique.members, of: rowClass, holder.key, holder.row) ?? true
            violations.append(
                UniqueViolation(
                    source: origin.source, path: origin.path,
                    className: judge?.knows(rowClass) ?? true ? rowClass.definition.name : nil,
                    properties: areNamed
                        ? unique.members.map { rowClass.definition.properties[$0].name } : [],
                    holder: areNamed && isHolderNamed
                        ? rowClass.objectText(holder.key, holder.row) : nil))
            if violations.count == Self.violationCountMax { break }
        }
        return violations
    }

    /// Whether the properties of a unique key are known, and not hidden on an object that was written.
    private func areSeen(
        _ unique: UniqueKey, _ rowClass: RowClass, _ key: UInt64, _ judge: WriteAuthorizer?
    ) throws(StoreError) -> Bool {
        guard let judge else { return true }
        guard judge.knows(unique.members, of: rowClass), let row = try group.row(rowClass, key)
        else { return false }
        return try judge.sees(unique.members, of: rowClass, key, row)
    }

    /// Another object with the same value; nil if there is no such object, if it is gone, or if it has a null now.
    private func otherHolder(
        of unique: UniqueKey, _ rowClass: RowClass, _ own: UInt64
    ) throws(StoreError) -> (key: UInt64, row: RowView)? {
        let (keyBuffer, overflow) = (group.keyBuffer, group.overflow)
        guard let row = try group.row(rowClass, own) else { return nil }
        keyBuffer.removeAll()
        guard IndexEntry.appendValue(rowClass, unique, row, overflow, to: keyBuffer) else {
            return nil
        }
        let prefix = keyBuffer.array
        func wholeValue(_ row: RowView) -> [UInt8]? {
            let buffer = ByteBuffer(capacity: 256)
            let isThere = IndexEntry.appendValue(
                rowClass, unique, row, overflow, isWhole: true, to: buffer)
            return isThere ? buffer.array : nil
        }
        // All lists have the same entry, and all maps.
        let whole =
            IndexEntry.holdsElements(rowClass, unique, row, overflow) ? wholeValue(row) : nil
        var keys: [UInt64] = []
        try group.scan(KeyRange(prefix: prefix), expecting: 2) { entry, _ in
            let key = StoreKey.trailingObjectKey(entry)
            if key != own { keys.append(key) }
            return whole != nil || keys.isEmpty
        }
        for key in keys {
            guard let other = try group.row(rowClass, key) else { continue }
            if whole == nil || wholeValue(other) == whole { return (key, other) }
        }
        return nil
    }

    // MARK: Taking back

    var count: Int { checks.count }

    /// Forgets the checks that were added since there were `count`.
    mutating func truncate(to count: Int) { checks.removeSubrange(count...) }

    /// Forgets everything.
    mutating func removeAll() {
        if !checks.isEmpty { checks.removeAll(keepingCapacity: true) }
    }
}

/// A change of an object's row, from which the changes of index entries, unique keys and inverse links follow.
struct RowChange {
    let rowClass: RowClass
    let key: UInt64
    /// The row before; nil for a new object.
    let old: RowView?
    /// The row from now on; nil for an object that goes away.
    let new: RowView?
    /// The properties that differ; nil for all.
    var members: MemberSet?

    /// Whether the change concerns a property.
    func concerns(_ member: Int) -> Bool { members?.contains(member) ?? true }
}
