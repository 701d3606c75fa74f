import Glibc
import HoldfastBytes
import HoldfastJSON
import HoldfastObjectStore
import HoldfastQuery
import HoldfastRows

/// Writes stored objects as JSON, straight from their rows into a buffer.
///
/// A link is its target's primary key, found in the transaction that the writer was made with. One
/// thread at a time uses a writer, and not longer than its transaction is open.
///
///     var writer = ObjectWriter(buffer, names: names, read: read, epoch: store.epoch)
///     writer.write(row, key: key, names.everything[rowClass.index])
package struct ObjectWriter {
    package let json: JSONWriter
    package let names: SchemaNames
    package let read: ReadTransaction?
    let epoch: UInt64
    /// The identity of the transaction's schema.
    let schema: ObjectIdentifier?
    /// Whether the rows are of the transaction's own schema and not of one before it.
    let isPresent: Bool
    /// Whether ints beyond 2^53 are written as strings, for clients that read numbers as doubles.
    package var quotesLargeInts = false
    /// Whether hidden properties are written as null and not left out, so that a table keeps its columns.
    package var keepsHidden = false
    /// Where keys of link targets are kept from one reply to the next.
    package var linkKeys: LinkKeyCache?
    /// Collections of more elements are left out and named in `"$omitted"`.
    package var collectionElementCountMax = Int.max
    /// Collections of more stored bytes are left out too.
    package var collectionByteCountMax = Int.max
    /// Whether out-of-line values are left out, because they may have changed since a row was copied.
    private(set) var hidesOverflow = false
    /// Readers of calculated values of selections, each made on first use.
    private var readers: [(selection: FieldSelection, path: Int32, reader: PathReader)] = []
    /// The rows around the embedded object that is written, and the position of its holder among them; kept where
    /// ``FieldSelection/readsHolder`` says that they are needed.
    var holders: [EmbeddedHolder] = []
    var holder = -1
    /// Past so many bytes in its buffer nothing more is written, and ``finish()`` throws.
    package var byteCountMax = Int.max
    /// Whether more is written: loops over objects end where it is not.
    package var hasRoom: Bool { buffer.count <= byteCountMax }

    package var buffer: ByteBuffer { json.buffer }

    /// Makes a writer.
    ///
    /// - Parameters:
    ///   - buffer: Where the text goes, at its end.
    ///   - names: Of the schema that the rows are read with.
    ///   - read: Where links lead; nil for objects without links.
    ///   - epoch: Of versions.
    package init(_ buffer: ByteBuffer, names: SchemaNames, read: ReadTransaction?, epoch: UInt64) {
        json = JSONWriter(buffer)
        self.names = names
        self.read = read
        self.epoch = epoch
        schema = read?.rows.identity
        isPresent = schema == names.schema.identity
    }

    package mutating func write(_ row: RowView, key: UInt64, _ selection: FieldSelection) {
        guard hasRoom else { return json.raw("null") }
        let rowClass = selection.rowClass
        let start = buffer.count
        let holdsOverflow = row.holdsOverflow
        let hidesProperties = row.hidesProperties && !keepsHidden
        var omitted: [FieldSelection.Step] = []
        for step in selection.steps {
            if hidesProperties, step.showsProperty, rowClass.hides(Int(step.member), in: row) {
                continue
            }
            // A plain value in its row, as most are, need not be asked about.
            if step.kind != .scalar || holdsOverflow,
                omits(step, of: row, rowClass, key: key, selection)
            {
                omitted.append(step)
                continue
            }
            // Each name begins with a comma; the first one becomes the bracket.
            json.raw(
                UnsafeRawBufferPointer(
                    rebasing: selection.names[
                        Int(step.nameStart)..<Int(step.nameStart + step.nameCount)]))
            writeValue(step, of: row, rowClass, key: key, selection)
        }
        if !omitted.isEmpty { write(omitted, selection) }
        // Nothing is asked for, or all of it is hidden.
        if buffer.count == start {
            json.raw("{}")
        } else {
            buffer.store(UInt8(ascii: "{"), at: start)
            buffer.append(UInt8(ascii: "}"))
        }
    }

    /// Writes the value of one step.
    @inline(__always)
    package mutating func writeValue(
        _ step: FieldSelection.Step, of row: RowView, _ rowClass: RowClass, key: UInt64,
        _ selection: FieldSelection
    ) {
        switch step.kind {
        case .scalar:
            let field = rowClass.field(Int(step.member), in: row)
            if field.isNull {
                json.null()
            } else if step.element.fixedByteCount != nil {
                write(fixed: field.slot, step.element)
            } else {
                write(stored: text(field), step.element)
            }
        case .scalars: write(collection(Int(step.member), in: row, rowClass))
        case .id: writeID(row, key: key, rowClass)
        case .version: writeVersion(row.version)
        case .link, .links, .expandedLink, .expandedLinks, .embedded, .embeddedList, .origins,
            .expandedOrigins, .embeddedOrigins, .owner:
            write(step, of: row, key: key, selection)
        case .map, .linkMap, .expandedLinkMap, .embeddedMap:
            writeMap(step, of: row, key: key, selection)
        case .through, .throughEach: writePath(step, of: row, rowClass, key: key, selection)
        case .calculated: writeCalculated(step, of: row, key: key, selection)
        }
    }

    /// Writes a count or an aggregate.
    private mutating func writeCalculated(
        _ step: FieldSelection.Step, of row: RowView, key: UInt64, _ selection: FieldSelection
    ) {
        guard let read else { return json.null() }
        let known = readers.first { $0.selection === selection && $0.path == step.nested }?.reader
        let path = selection.paths[Int(step.nested)]
        let reader = known ?? PathReader(path, schema: names.schema)
        if known == nil { readers.append((selection, step.nested, reader)) }
        guard let value = reader.value(row: row, key: key, source: read) else { return json.null() }
        write(stored: value, path.type.storage)
    }

    /// Writes an object that was copied for the same reader with everything that is shown of it, by then and now; null for
    /// nothing.
    package mutating func write(_ object: StoredObject) {
        let selection = names.everything[object.classIndex]
        let isWritten =
            object.withRow { row in
                guard let row = shown(object, row) else { return false }
                write(former: row, key: object.key, selection)
                return true
            } ?? false
        if !isWritten { json.null() }
    }

    /// Whether something is shown of an object that was copied for the same reader.
    package func shows(_ object: StoredObject) -> Bool {
        object.withRow { row in shown(object, row) != nil } ?? false
    }

    private func shown(_ object: StoredObject, _ row: RowView) -> RowView? {
        guard let read, read.showsPart else { return row }
        // Rules of another schema say nothing of the row.
        guard isPresent else { return nil }
        return read.shown(copy: row, names.schema.classes[object.classIndex], object.key)
    }

    /// Writes one object from a copy of its row, which may be older than the transaction: its out-of-line
    /// values are written only if the object has not changed, and are named in `"$omitted"` otherwise. A restricted view
    /// writes its visible part, or null if the object is hidden.
    package mutating func write(copy row: RowView, key: UInt64, _ selection: FieldSelection) {
        guard let row = shown(row, key: key, selection.rowClass) else { return json.null() }
        write(former: row, key: key, selection)
    }

    private mutating func write(former row: RowView, key: UInt64, _ selection: FieldSelection) {
        if row.holdsOverflow {
            let rowClass = selection.rowClass
            hidesOverflow = true
            if let read, let index = read.rows.classIndexByNumber[rowClass.number],
                let present = read.row(classIndex: index, key: key), present.version == row.version
            {
                hidesOverflow = false
            }
        }
        defer { hidesOverflow = false }
        write(row, key: key, selection)
    }

    private func shown(_ row: RowView, key: UInt64, _ rowClass: RowClass) -> RowView? {
        guard let read, read.showsPart else { return row }
        // Rules of another schema say nothing of the row.
        return isPresent ? read.shown(rowClass, key, row) : nil
    }

    /// Whether the view shows an object.
    package func sees(_ rowClass: RowClass, key: UInt64) -> Bool {
        guard let read, read.showsPart else { return true }
        return isPresent && read.row(classIndex: rowClass.index, key: key) != nil
    }

    /// Writes an array of the elements that `body` writes, each after ``separate(_:)``.
    package mutating func array(_ body: (inout ObjectWriter, inout Bool) -> Void) {
        buffer.append(UInt8(ascii: "["))
        var isFirst = true
        body(&self, &isFirst)
        buffer.append(UInt8(ascii: "]"))
    }

    /// Writes the comma before every element but the first.
    package func separate(_ isFirst: inout Bool) {
        if !isFirst { json.comma() }
        isFirst = false
    }

    /// Ends the writing. Cost: a comparison.
    ///
    /// - Throws: ``StoreError`` `.stopped` if ``byteCountMax`` was exceeded: the text is not complete then.
    package func finish() throws(StoreError) {
        if !hasRoom { throw .stopped(.reply) }
    }
}

extension ObjectWriter {
    /// Writes one element of a collection, or one value of a map: a link as its target's key.
    ///
    /// - `place`: Within a part of the collection.
    package mutating func writeElement(
        _ offset: Int, of part: CollectionView, _ member: Int, _ rowClass: RowClass
    ) {
        if part.isNull(offset) { return json.null() }
        switch part.element {
        case .link:
            let classIndex = rowClass.members[member].classIndex
            if !writeTarget(part.pointer(offset).storedLink, of: classIndex) { json.null() }
        case .embedded:
            guard let inner = RowView(part.bytes(offset)) else { return json.null() }
            write(inner, key: 0, names.everything[rowClass.members[member].classIndex])
        default: writeElement(offset, of: part)
        }
    }

    /// Writes a value from its stored bytes.
    package func write(stored bytes: UnsafeRawBufferPointer, _ element: ElementStorage) {
        switch element {
        case .string: json.string(bytes)
        case .data: json.base64(bytes)
        case .mixed: write(mixed: MixedView(bytes))
        default:
            guard let address = bytes.baseAddress else { return json.null() }
            write(fixed: address, element)
        }
    }

    /// Writes the value at the end of a path: nil as null, a link as its target's key.
    package mutating func write(_ bytes: UnsafeRawBufferPointer?, _ path: ValuePath) {
        guard let bytes else { return json.null() }
        guard case .link(let classIndex) = path.type else {
            return write(stored: bytes, path.type.storage)
        }
        guard let address = bytes.baseAddress, writeTarget(address.storedLink, of: classIndex)
        else { return json.null() }
    }

    /// Writes a map as an object, its members in the order of the keys' bytes.
    mutating func writeMap(
        _ step: FieldSelection.Step, of row: RowView, key: UInt64, _ selection: FieldSelection
    ) {
        let map = collection(Int(step.member), in: row, selection.rowClass)
        within(row, key, step, selection) { writer in
            writer.writeEntries(map) { $0.writeValue($2, of: $1, key: key, step, selection) }
        }
    }

    /// Writes the entries of a map as an object, each value by `write`, which gets the values and an offset.
    mutating func writeEntries(
        _ map: StoredCollection, _ write: (inout Self, CollectionView, Int) -> Void
    ) {
        json.raw("{")
        map.forEachPart(within: read?.budget) { part, first in
            guard let keys = part.keys else { return false }
            for offset in 0..<part.count {
                guard hasRoom else { return false }
                if first + offset > 0 { json.comma() }
                json.string(keys.bytes(offset))
                json.raw(":")
                write(&self, part.values, offset)
            }
            return true
        }
        json.raw("}")
    }

    private mutating func writeValue(
        _ index: Int, of values: CollectionView, key: UInt64, _ step: FieldSelection.Step,
        _ selection: FieldSelection
    ) {
        if values.isNull(index) { return json.null() }
        switch step.kind {
        case .linkMap, .expandedLinkMap:
            let isWritten = writeTarget(
                values.pointer(index).storedLink, step, selection,
                isExpanded: step.kind == .expandedLinkMap)
            // The target was deleted after this copy of the row was made, which set the link to null.
            if !isWritten { json.null() }
        case .embeddedMap:
            guard let inner = RowView(values.bytes(index)) else { return json.null() }
            write(inner, key: key, nested(step, selection))
        default: writeElement(index, of: values)
        }
    }
}
