import HoldfastBytes
import HoldfastObjectModel
import HoldfastRows
import HoldfastStorage

extension StoreCheck {
    /// Checks that every key is of a kind and class that the store has, by looking between them.
    func checkKeys() throws(StoreError) {
        let buffer = ByteBuffer()
        let classes = rows.classes.filter { $0.definition.kind.standsAlone }
        let kinds: [(RowClass, ByteBuffer) -> Void] = [
            { StoreKey.appendClassState($0.number, to: $1) }, StoreKey.appendRowPrefix,
            StoreKey.appendPrimaryKeyPrefix,
        ]
        var known = [
            StoreKey.format, StoreKey.state, StoreKey.catalog, StoreKey.migration,
            StoreKey.recordCounters, StoreKey.access, StoreKey.accessDocument,
        ].map { KeyRange(lower: $0, upper: $0 + [0]) }
        known += [
            StoreKey.recordNumberPrefix, StoreKey.recordOrderPrefix, StoreKey.recordSharePrefix,
            StoreKey.recordPrefix, StoreKey.tokenPrefix, StoreKey.userPrefix,
            StoreKey.accountPrefix, StoreKey.loginPrefix, StoreKey.sessionPrefix,
        ].map { KeyRange(prefix: $0) }
        for (kind, append) in kinds.enumerated() {
            for rowClass in classes {
                if kind == 2, rowClass.primaryKeyIndex == nil { continue }
                let prefix = Array(buffer.making { append(rowClass, $0) })
                known.append(
                    kind == 0
                        ? KeyRange(lower: prefix, upper: prefix + [0]) : KeyRange(prefix: prefix))
            }
        }
        for tag in [
            StoreKey.Tag.index, StoreKey.Tag.inverseLink, StoreKey.Tag.overflow,
            StoreKey.Tag.changeLog,
        ] { known.append(KeyRange(prefix: [tag])) }
        known += garbage.map(\.range)
        known.sort { $0.lower.lexicographicallyPrecedes($1.lower) }
        var lower: [UInt8]? = []
        for range in known + [KeyRange(lower: [], upper: nil)] {
            guard let from = lower else { break }
            // The range of garbage may lie within another one.
            if let upper = range.upper, !from.lexicographicallyPrecedes(upper) { continue }
            let upper = range.lower.isEmpty ? nil : range.lower
            try scan(KeyRange(lower: from, upper: upper)) { key, _ in
                report.add("entry-unknown", "a key of kind \(key.first ?? 0)")
            }
            lower = range.upper
        }
    }

    /// Checks that each primary key leads to a row that has it.
    func checkPrimaryKeys(_ rowClass: RowClass) throws(StoreError) {
        guard let member = rowClass.primaryKeyIndex else { return }
        let buffer = ByteBuffer()
        let prefix = Array(buffer.making { StoreKey.appendPrimaryKeyPrefix(rowClass, to: $0) })
        try scan(prefix) { (entry, value) throws(StoreError) in
            guard let key = StoreKey.mappedObjectKey(value) else {
                return report.add("primary-key-damaged", rowClass.definition.name)
            }
            let row: RowView
            switch try find(rowClass, key: key) {
            case .nothing: return report.add("primary-key-without-row", name(rowClass, key))
            case .damaged: return
            case .row(let found): row = found
            }
            let expected = buffer.making {
                StoreKey.appendPrimaryKey(of: row, rowClass, member, to: $0)
            }
            if compareKeys(entry, expected) != 0 {
                report.add("primary-key-wrong", name(rowClass, key))
            }
        }
    }

    /// Checks that each inverse link has the links that it counts.
    func checkInverseLinks() throws(StoreError) {
        try scan([StoreKey.Tag.inverseLink]) { (entry, value) throws(StoreError) in
            if isGarbage(entry) { return }
            report.inverseLinkCount += 1
            guard let origin = InverseLink.origin(entry, rows) else {
                return report.add("inverse-link-damaged", "\(entry.count) bytes")
            }
            let originClass = rows.classes[origin.classIndex]
            let number = UInt32(bigEndian: entry.loadUnaligned(fromByteOffset: 1, as: UInt32.self))
            let targetKey = UInt64(
                bigEndian: entry.loadUnaligned(fromByteOffset: 5, as: UInt64.self))
            let property = InverseLink.propertyNumber(entry)
            let row: RowView
            switch try find(originClass, key: origin.key) {
            case .nothing:
                return report.add("inverse-link-without-origin", name(originClass, origin.key))
            case .damaged: return
            case .row(let found): row = found
            }
            guard let targetIndex = rows.classIndexByNumber[number] else {
                return report.add("inverse-link-damaged", "class number \(number)")
            }
            let count = self.count(
                of: LinkKind(property: property, targetClass: targetIndex, targetKey: targetKey),
                in: row, origin)
            if count != InverseLink.count(value) {
                report.add("inverse-link-wrong", name(originClass, origin.key))
            }
        }
    }

    private func count(of kind: LinkKind, in row: RowView, _ origin: ObjectIdentity) -> Int {
        let rowClass = rows.classes[origin.classIndex]
        guard row.holdsOverflow else {
            var count = 0
            rows.forEachLink(of: rowClass, in: row, transaction) { property, targetClass, target in
                if property == kind.property, target == kind.targetKey,
                    targetClass == kind.targetClass
                {
                    count += 1
                }
            }
            return count
        }
        // Each of its targets asks: its links are counted once, and the counts of some others are kept.
        if linkCounts[origin] == nil {
            if linkCounts.count >= 16 { linkCounts.removeAll() }
            linkCounts[origin] = rows.linkCounts(of: rowClass, in: row, transaction)
        }
        return Int(linkCounts[origin]?[kind] ?? 0)
    }

    /// Checks that the change log is whole, and notes the last change of each object.
    func checkChangeLog() throws(StoreError) {
        var expected = state.logFirst
        var byteCount: UInt64 = 0
        try scan([StoreKey.Tag.changeLog]) { (key, value) throws(StoreError) in
            report.logEntryCount += 1
            byteCount += UInt64(value.count)
            let version = StoreKey.trailingObjectKey(key)
            guard key.count == 9, version < .max else {
                return report.add("change-log-damaged", "\(key.count) bytes of key")
            }
            if version != expected {
                report.add("change-log-gap", "version \(expected) missing, \(version) found")
            }
            expected = version + 1
            guard let entry = ChangeLogEntry(value) else {
                return report.add("change-log-damaged", "version \(version)")
            }
            for change in entry.changes {
                guard let index = rows.classIndexByNumber[change.classNumber] else { continue }
                lastChanges[ObjectIdentity(classIndex: index, key: change.key)] = (
                    version, change.kind
                )
            }
        }
        if expected != state.version + 1 {
            report.add(
                "change-log-gap", "ends at \(expected - 1), the store is at \(state.version)")
        }
        if byteCount != state.logByteCount {
            report.add("change-log-size-wrong", "\(state.logByteCount) counted, \(byteCount) there")
        }
    }

    /// Reports missing objects that the change log says were written: found ones are no longer noted.
    func checkDeletions() {
        let missing = lastChanges.filter { $0.value.kind != .delete }.keys
            .sorted { ($0.classIndex, $0.key) < ($1.classIndex, $1.key) }
        for identity in missing {
            report.add("row-missing", name(rows.classes[identity.classIndex], identity.key))
        }
    }
}
