import HoldfastBytes
import HoldfastObjectModel
import HoldfastRows

extension StoreCheck {
    /// Checks the rows of a class, and that everything that follows from a row is there.
    func checkRows(_ rowClass: RowClass) throws(StoreError) {
        let buffer = ByteBuffer()
        var count = 0
        var lastKey: UInt64 = 0
        let prefix = Array(buffer.making { StoreKey.appendRowPrefix(rowClass, to: $0) })
        try scan(prefix) { (entry, value) throws(StoreError) in
            guard entry.count == StoreKey.rowByteCount else {
                return report.add("row-key-malformed", "\(rowClass.definition.name)")
            }
            let key = StoreKey.trailingObjectKey(entry)
            count += 1
            lastKey = key
            let identity = ObjectIdentity(classIndex: rowClass.index, key: key)
            guard let row = RowView(value), rowClass.canRead(row) else {
                lastChanges[identity] = nil
                return report.add("row-damaged", name(rowClass, key))
            }
            checkVersion(rowClass, key, row)
            if row.holdsOverflow { knownChunks.removeAll() }
            if let fault = fault(of: row, rowClass) {
                return report.add("row-damaged", "\(name(rowClass, key)): \(fault)")
            }
            if row.holdsOverflow { try checkChunks(of: rowClass, key, row) }
            try checkDerived(rowClass, key, row, buffer)
        }
        report.objectCounts.append((rowClass.definition.name, count))
        let stateKey = Array(buffer.making { StoreKey.appendClassState(rowClass.number, to: $0) })
        guard let counters = try transaction.value(stateKey).map({ ClassState($0) }) ?? ClassState()
        else { return report.add("class-state-damaged", rowClass.definition.name) }
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

    private func checkVersion(_ rowClass: RowClass, _ key: UInt64, _ row: RowView) {
        let identity = ObjectIdentity(classIndex: rowClass.index, key: key)
        if row.version > state.version { report.add("row-from-the-future", name(rowClass, key)) }
        guard let last = lastChanges[identity] else {
            if row.version >= state.logFirst, row.version <= state.version {
                report.add(
                    "change-log-incomplete", "\(name(rowClass, key)), version \(row.version)")
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
    private func checkDerived(
        _ rowClass: RowClass, _ key: UInt64, _ row: RowView, _ buffer: ByteBuffer
    ) throws(StoreError) {
        if let member = rowClass.primaryKeyIndex {
            let mapKey = Array(
                buffer.making { StoreKey.appendPrimaryKey(of: row, rowClass, member, to: $0) })
            if try !has(mapKey, { StoreKey.mappedObjectKey($0) == key }) {
                report.add("primary-key-missing", name(rowClass, key))
            }
        }
        try checkEntries(of: rowClass, key, row, buffer)
        for (link, count) in rows.linkCounts(of: rowClass, in: row, transaction) {
            let targetClass = rows.classes[link.targetClass]
            if case .nothing = try find(targetClass, key: link.targetKey) {
                report.add(
                    "link-dangling",
                    "\(name(rowClass, key)) to \(name(targetClass, link.targetKey))")
            }
            let entry = Array(
                buffer.making { StoreKey.appendInverse(link, rows, rowClass, key, to: $0) })
            if try !has(entry, { InverseLink.count($0) == Int(count) }) {
                report.add(
                    "inverse-link-missing",
                    "\(name(rowClass, key)) to \(name(targetClass, link.targetKey))")
            }
        }
    }

    /// Finds the fault of a row's own structure; nil without one.
    func fault(of row: RowView, _ rowClass: RowClass) -> String? {
        for (member, compiled) in rowClass.members.enumerated()
        where compiled.storage.shape != .none {
            if let fault = fault(of: rowClass.field(member, in: row), compiled, in: row) {
                let property = rowClass.definition.properties[member].name
                // That of an embedded object goes on with its property.
                return fault.hasPrefix(".") ? property + fault : "\(property) \(fault)"
            }
        }
        return nil
    }

    private func fault(of field: Field, _ member: RowClass.Member, in row: RowView) -> String? {
        let storage = member.storage
        if field.isNull { return storage.shape == .single && member.isOptional ? nil : "is null" }
        guard storage.isInHeap else { return fault(ofValueAt: field.slot, storage.element) }
        if !field.isInBounds { return "lies outside the row" }
        if field.isOutOfLine {
            return row.holdsOverflow
                ? fault(ofOverflow: field, member) : "is outside a row that does not say so"
        }
        return switch (storage.shape, storage.element) {
        case (.single, .string):
            String(validating: field.heap, as: UTF8.self) == nil ? "is no UTF-8" : nil
        case (.single, .mixed): fault(ofMixed: field.heap)
        case (.single, .embedded): fault(ofEmbedded: field.heap, member)
        case (.list, _), (.set, _): fault(ofCollection: field.heap, member)
        case (.map, _): fault(ofMap: field.heap, member)
        default: nil
        }
    }

    private func fault(ofValueAt address: UnsafeRawPointer, _ element: ElementStorage) -> String? {
        switch element {
        case .bool where address.load(as: UInt8.self) > 1: "is neither true nor false"
        case .date where !(0..<1_000_000_000).contains(address.storedDate.nanoseconds):
            "has nanoseconds out of range"
        default: nil
        }
    }

    private func fault(ofEmbedded bytes: UnsafeRawBufferPointer, _ member: RowClass.Member)
        -> String?
    {
        let embedded = rows.classes[member.classIndex]
        guard let inner = RowView(bytes), embedded.canRead(inner) else { return "is damaged" }
        return fault(of: inner, embedded).map { ".\($0)" }
    }

    /// Finds the fault of a `mixed` value that is not null; nil without one.
    func fault(ofMixed bytes: UnsafeRawBufferPointer) -> String? {
        let value = MixedView(bytes)
        if let fault = value.fault() { return fault }
        if value.isNull { return "is null without being marked so" }
        var isKnown = true
        value.forEachLink { classNumber, _ in
            if rows.classIndexByNumber[classNumber] == nil { isKnown = false }
        }
        return isKnown ? nil : "has a link to a class that is gone"
    }

    func fault(ofCollection bytes: UnsafeRawBufferPointer, _ member: RowClass.Member) -> String? {
        guard bytes.count >= 8 else { return "is too short" }
        let view = CollectionView(bytes, element: member.storage.element)
        if view.count != Int(bytes.loadUnaligned(as: UInt32.self)) { return "is damaged" }
        let element = member.storage.element
        let isSet = member.storage.shape == .set
        let order = SetOrder()
        for index in 0..<view.count {
            if isSet, index > 0, order.compare(view, index - 1, view, index) >= 0 {
                return "has its elements out of order"
            }
            if view.isNull(index) {
                if !member.isOptional { return "has a null element" }
                continue
            }
            if let width = element.fixedByteCount, width > 0,
                let fault = fault(ofValueAt: view.pointer(index), element)
            {
                return "has an element that \(fault)"
            }
            if element == .string, String(validating: view.bytes(index), as: UTF8.self) == nil {
                return "has an element that is no UTF-8"
            }
            if element == .mixed, let fault = fault(ofMixed: view.bytes(index)) {
                return "has an element that \(fault)"
            }
            if element == .embedded, let fault = fault(ofEmbedded: view.bytes(index), member) {
                return "element \(index)" + (fault.hasPrefix(".") ? fault : " \(fault)")
            }
        }
        return nil
    }
}
