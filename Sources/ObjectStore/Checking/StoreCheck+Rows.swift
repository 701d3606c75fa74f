import Bytes
import ObjectModel
import Rows
import Storage

extension StoreCheck {
    /// Checks the rows of a class, and that everything that follows from a row is there.
    mutating func checkRows(_ rowClass: RowClass) throws(StoreError) {
        let buffer = ByteBuffer()
        var count = 0
        var lastKey: UInt64 = 0
        let prefix = Array(buffer.making { StoreKey.appendRowPrefix(rowClass.number, to: $0) })
        try scan(prefix) { (check, entry, value) throws(StoreError) in
            guard entry.count == StoreKey.rowByteCount else {
                return check.report.add("row-key-malformed", "\(rowClass.definition.name)")
            }
            let key = StoreKey.trailingObjectKey(entry)
            count += 1
            lastKey = key
            guard let row = RowView(value), rowClass.knowsLayout(row.layoutNumber) else {
                return check.report.add("row-damaged", check.name(rowClass, key))
            }
            if let fault = check.fault(of: row, rowClass) {
                return check.report.add("row-damaged", "\(check.name(rowClass, key)): \(fault)")
            }
            check.checkVersion(rowClass, key, row)
            try check.checkDerived(rowClass, key, row, buffer)
        }
        report.objectCounts.append((rowClass.definition.name, count))
        let stateKey = Array(buffer.making { StoreKey.appendClassState(rowClass.number, to: $0) })
        let counters: ClassState
        do {
            counters = try transaction.snapshot.value(stateKey).flatMap { ClassState($0) } ?? ClassState()
        } catch {
            throw .storage(error)
        }
        if counters.count != UInt64(count) {
            report.add(
                "object-count-wrong",
                "\(rowClass.definition.name): \(counters.count) counted, \(count) there")
        }
        if counters.nextKey <= lastKey {
            report.add(
                "object-key-reusable",
                "\(rowClass.definition.name): next key \(counters.nextKey), last \(lastKey)")
        }
    }

    private mutating func checkVersion(_ rowClass: RowClass, _ key: UInt64, _ row: RowView) {
        let identity = ObjectIdentity(classIndex: rowClass.index, key: key)
        if row.version > state.version {
            report.add("row-from-the-future", name(rowClass, key))
        }
        guard let last = lastChanges[identity] else {
            if row.version >= state.logFirst, row.version <= state.version {
                report.add("change-log-incomplete", "\(name(rowClass, key)), version \(row.version)")
            }
            return
        }
        if last.kind == .delete {
            report.add("deleted-row-present", name(rowClass, key))
        } else if last.version != row.version {
            report.add(
                "row-version-wrong",
                "\(name(rowClass, key)): version \(row.version), log says \(last.version)")
        }
        lastChanges[identity] = nil
    }

    /// Checks that primary key, index entries, inverse links and link targets of a row are there.
    private mutating func checkDerived(
        _ rowClass: RowClass, _ key: UInt64, _ row: RowView, _ buffer: ByteBuffer
    ) throws(StoreError) {
        if let member = rowClass.primaryKeyIndex {
            let mapKey = Array(
                buffer.making {
                    StoreKey.appendPrimaryKeyPrefix(rowClass.number, to: $0)
                    OrderedKey.append(
                        rowClass.field(member, in: row), rowClass.members[member].storage.element,
                        to: $0)
                })
            let isThere = try has(mapKey) { value in
                value.count == 8 && UInt64(bigEndian: value.loadUnaligned(as: UInt64.self)) == key
            }
            if !isThere { report.add("primary-key-missing", name(rowClass, key)) }
        }
        for member in rowClass.indexedMembers {
            let entry = Array(buffer.making { IndexEntry.append(rowClass, member, key, row, to: $0) })
            if try !has(entry) {
                report.add(
                    "index-entry-missing",
                    "\(name(rowClass, key)), \(rowClass.definition.properties[member].name)")
            }
        }
        struct Link: Hashable {
            var property: UInt32
            var target: ObjectIdentity
        }
        var links: [Link: UInt32] = [:]
        rows.forEachLink(of: rowClass, in: row) { property, targetClass, targetKey in
            let target = ObjectIdentity(classIndex: targetClass, key: targetKey)
            links[Link(property: property, target: target), default: 0] += 1
        }
        for (link, count) in links {
            let targetClass = rows.classes[link.target.classIndex]
            if try transaction.find(targetClass, key: link.target.key) == nil {
                report.add(
                    "link-dangling",
                    "\(name(rowClass, key)) to \(name(targetClass, link.target.key))")
            }
            let entry = Array(
                buffer.making {
                    StoreKey.appendInversePrefix(targetClass.number, link.target.key, to: $0)
                    $0.append(big: link.property)
                    $0.append(big: rowClass.number)
                    $0.append(big: key)
                })
            if try !has(entry, { InverseLink.count($0) == Int(count) }) {
                report.add(
                    "inverse-link-missing",
                    "\(name(rowClass, key)) to \(name(targetClass, link.target.key))")
            }
        }
    }

    /// What is wrong with a row's own structure; nil when nothing is.
    func fault(of row: RowView, _ rowClass: RowClass) -> String? {
        for (member, compiled) in rowClass.members.enumerated() where compiled.storage.shape != .none {
            let field = rowClass.field(member, in: row)
            let property = rowClass.definition.properties[member].name
            if field.isNull {
                if compiled.storage.shape != .single || !compiled.isOptional {
                    return "\(property) is null"
                }
                continue
            }
            guard compiled.storage.isInHeap else { continue }
            if !field.isInBounds { return "\(property) lies outside the row" }
            switch (compiled.storage.shape, compiled.storage.element) {
            case (.single, .string):
                if String(validating: field.heap, as: UTF8.self) == nil {
                    return "\(property) is no UTF-8"
                }
            case (.single, .embedded):
                guard let inner = RowView(field.heap) else { return "\(property) is damaged" }
                if let fault = fault(of: inner, rows.classes[compiled.classIndex]) {
                    return "\(property).\(fault)"
                }
            case (.list, _), (.set, _):
                if let fault = fault(ofCollection: field.heap, compiled) { return "\(property) \(fault)" }
            default: break
            }
        }
        return nil
    }

    private func fault(ofCollection bytes: UnsafeRawBufferPointer, _ member: RowClass.Member) -> String? {
        guard bytes.count >= 8 else { return "is too short" }
        let view = CollectionView(bytes, element: member.storage.element)
        if view.count != Int(bytes.loadUnaligned(as: UInt32.self)) { return "is damaged" }
        for index in 0..<view.count {
            if view.isNull(index) {
                if !member.isOptional { return "has a null element" }
                continue
            }
            if member.storage.element == .string,
                String(validating: view.bytes(index), as: UTF8.self) == nil
            {
                return "has an element that is no UTF-8"
            }
            if member.storage.element == .embedded {
                guard let inner = RowView(view.bytes(index)) else { return "has a damaged element" }
                if let fault = fault(of: inner, rows.classes[member.classIndex]) {
                    return "element \(index).\(fault)"
                }
            }
        }
        return nil
    }
}
