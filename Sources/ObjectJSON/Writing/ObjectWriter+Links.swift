import HoldfastJSON
import HoldfastObjectStore
import HoldfastRows

extension ObjectWriter {
    /// Writes a member that leads to other rows.
    package mutating func write(
        _ step: FieldSelection.Step, of row: RowView, key: UInt64, _ selection: FieldSelection
    ) {
        let rowClass = selection.rowClass
        let member = Int(step.member)
        switch step.kind {
        case .link, .expandedLink:
            let field = rowClass.field(member, in: row)
            guard !field.isNull else { return json.null() }
            let isWritten = writeTarget(
                field.load(UInt64.self), step, selection, isExpanded: step.kind == .expandedLink)
            // The target was deleted after this copy of the row was made, which set the link to null.
            if !isWritten { json.null() }
        case .links, .expandedLinks:
            let links = collection(member, in: row, rowClass)
            array { writer, isFirst in
                links.forEach(within: writer.read?.budget) { part, offset, _ in
                    guard writer.hasRoom else { return false }
                    writer.writeElement(
                        part.pointer(offset).storedLink, step, selection,
                        isExpanded: step.kind == .expandedLinks, &isFirst)
                    return true
                }
            }
        case .embedded:
            guard let inner = rowClass.embedded(member, in: row) else { return json.null() }
            within(row, key, step, selection) {
                $0.write(inner, key: key, $0.nested(step, selection))
            }
        case .embeddedList:
            let list = collection(member, in: row, rowClass)
            let inner = nested(step, selection)
            within(row, key, step, selection) { writer in
                writer.array { writer, isFirst in
                    list.forEach(within: writer.read?.budget) { part, offset, _ in
                        guard writer.hasRoom else { return false }
                        guard let row = RowView(part.bytes(offset)) else { return true }
                        writer.separate(&isFirst)
                        writer.write(row, key: key, inner)
                        return true
                    }
                }
            }
        case .origins, .expandedOrigins, .embeddedOrigins:
            if rowClass.definition.kind == .embedded {
                writeHolder(step, selection)
            } else if step.kind == .embeddedOrigins {
                writeEmbeddedOrigins(step, key: key, selection)
            } else {
                writeOrigins(step, key: key, selection)
            }
        case .owner: writeOwner(step, selection)
        case .id, .version, .scalar, .scalars, .map, .linkMap, .expandedLinkMap, .embeddedMap,
            .through, .throughEach, .calculated:
            break
        }
    }

    package func nested(_ step: FieldSelection.Step, _ selection: FieldSelection) -> FieldSelection
    {
        step.nested >= 0
            ? selection.nested[Int(step.nested)] : names.everything[Int(step.classIndex)]
    }

    /// Writes the objects that link to the one with `key`, each as often as it links, in the order of their keys.
    private mutating func writeOrigins(
        _ step: FieldSelection.Step, key: UInt64, _ selection: FieldSelection
    ) {
        guard let read, let property = originProperty(step, selection) else {
            return json.raw("[]")
        }
        array { writer, isFirst in
            read.scanOrigins(selection.rowClass.index, key, property: property) {
                origin, _, count in
                guard let row = read.row(classIndex: origin.classIndex, key: origin.key) else {
                    return true
                }
                for _ in 0..<count {
                    guard writer.hasRoom else { return false }
                    writer.separate(&isFirst)
                    writer.writeOrigin(origin, row, step, selection)
                }
                return true
            }
        }
    }

    /// Returns the number of the property that an inverse link collects; nil for an embedded object:
    /// its holder is its only origin.
    func originProperty(_ step: FieldSelection.Step, _ selection: FieldSelection) -> UInt32? {
        let compiled = selection.rowClass.members[Int(step.member)]
        guard selection.rowClass.definition.kind != .embedded, compiled.originProperty >= 0 else {
            return nil
        }
        return names.schema.classes[compiled.classIndex].members[compiled.originProperty].number
    }

    private mutating func writeOrigin(
        _ origin: ObjectIdentity, _ row: RowView, _ step: FieldSelection.Step,
        _ selection: FieldSelection
    ) {
        guard step.kind == .expandedOrigins else {
            return writeID(row, key: origin.key, names.schema.classes[origin.classIndex])
        }
        write(row, key: origin.key, nested(step, selection))
    }

    private mutating func writeElement(
        _ key: UInt64, _ step: FieldSelection.Step, _ selection: FieldSelection, isExpanded: Bool,
        _ isFirst: inout Bool
    ) {
        let start = buffer.count
        let wasFirst = isFirst
        separate(&isFirst)
        if !writeTarget(key, step, selection, isExpanded: isExpanded) {
            // As above: the list has lost this element since.
            buffer.truncate(to: start)
            isFirst = wasFirst
        }
    }

    /// Writes a link's target; false with nothing written when it is not there any more.
    mutating func writeTarget(
        _ key: UInt64, _ step: FieldSelection.Step, _ selection: FieldSelection, isExpanded: Bool
    ) -> Bool {
        guard isExpanded else { return writeTarget(key, of: Int(step.classIndex)) }
        guard let read else { return false }
        let target = present(Int(step.classIndex), in: read)
        guard let row = read.row(classIndex: target.index, key: key) else { return false }
        write(row, key: key, nested(step, selection))
        return true
    }

    /// Writes the key of a link's target; false with nothing written when it is not there any more.
    func writeTarget(_ key: UInt64, of classIndex: Int) -> Bool {
        // Without the transaction and the class, to which references would be counted.
        if isPresent, writeKnownKey(key, classIndex) { return true }
        guard let read else { return false }
        let target = present(classIndex, in: read)
        switch writeKey(key, of: target, in: read) {
        case .written: return true
        case .null:
            // A bare null would say that there is no link.
            json.object { object in
                object.member("$link").object { link in
                    link.member("class").string(target.definition.name)
                    link.member("id").null()
                }
            }
            return true
        case .gone: return false
        }
    }

    /// The result of the search for the key of a link's target.
    enum TargetKey {
        case written
        /// The primary key is null: nothing was written.
        case null
        /// The target is not there any more: nothing was written.
        case gone
    }

    /// Writes the key of a link's target.
    func writeKey(_ key: UInt64, of target: RowClass, in read: ReadTransaction) -> TargetKey {
        guard let member = target.primaryKeyIndex else {
            json.uint(key)
            return .written
        }
        if writeKnownKey(key, target.index) { return .written }
        guard let row = read.row(classIndex: target.index, key: key) else { return .gone }
        if target.field(member, in: row).isNull { return .null }
        let start = buffer.count
        writeID(row, key: key, target)
        if !quotesLargeInts {
            let text = UnsafeRawBufferPointer(rebasing: buffer.bytes[start...])
            linkKeys?.keep(read.rows, target.index, key, text)
        }
        return .written
    }

    /// Writes the key of a link's target if it was written before. Large ints may be written either way.
    @inline(__always)
    private func writeKnownKey(_ key: UInt64, _ classIndex: Int) -> Bool {
        guard !quotesLargeInts, let linkKeys, let schema else { return false }
        return linkKeys.append(schema, classIndex, key, to: buffer)
    }

    /// The class as the transaction has it, which may be newer than a copied row.
    private func present(_ classIndex: Int, in read: ReadTransaction) -> RowClass {
        let rowClass = names.schema.classes[classIndex]
        if isPresent { return rowClass }
        guard let index = read.rows.classIndexByNumber[rowClass.number] else { return rowClass }
        return read.rows.classes[index]
    }
}
