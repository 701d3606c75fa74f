import Bytes
import JSON
import ObjectJSON
import ObjectStore
import Rows

/// Writes what a followed property holds as JSON, and what became of it: objects that it links to in the shape
/// of pages of collections.
struct PropertyWriter {
    let buffer: ByteBuffer
    private let property: ObservedProperty
    private let names: SchemaNames
    private let read: ReadTransaction
    private let json: JSONWriter
    private var writer: ObjectWriter

    init(
        _ stream: CheckedStream, _ property: ObservedProperty, _ read: ReadTransaction,
        _ limits: ServiceLimits
    ) {
        self.property = property
        self.read = read
        names = stream.names
        buffer = ByteBuffer(capacity: 1024)
        json = JSONWriter(buffer)
        writer = ObjectWriter(
            buffer, stream.names, read, limits,
            quotesLargeInts: stream.definition.quotesLargeInts)
    }

    /// Whether an object was too large, so that what is written is not whole.
    var isTruncated: Bool { writer.isTruncated }

    private var storage: FieldStorage { property.compiled.storage }

    // MARK: What it holds

    /// How many elements the collection of an object has; 0 for a property that is told as one value.
    func count(_ row: RowView) -> Int {
        property.isValue ? 0 : property.rowClass.collection(property.member, in: row, read).count
    }

    /// Writes everything as members of an object that has others; false where that is too much.
    mutating func writeWhole(_ row: RowView, key: UInt64, _ byteCountMax: Int) -> Bool {
        json.comma()
        let end = writeMembers(row, key: key, from: 0, byteCountMax: byteCountMax)
        return end == count(row)
    }

    /// Writes a piece of a snapshot.
    ///
    /// - `first`: The element to begin with.
    /// - Returns: The element to go on with; nil when nothing is there.
    mutating func writeSnapshot(
        _ row: RowView, key: UInt64, from first: Int, byteCountMax: Int
    ) -> Int? {
        if property.isMixedValue, property.mixed(in: row, read) == nil { return nil }
        json.raw("{")
        let end = writeMembers(row, key: key, from: first, byteCountMax: byteCountMax)
        json.raw("}")
        return end
    }

    private mutating func writeMembers(
        _ row: RowView, key: UInt64, from first: Int, byteCountMax: Int
    ) -> Int {
        guard !property.isValue else {
            json.raw("\"value\":")
            writeValue(row, key: key)
            return 0
        }
        let isMap = storage.shape == .map
        let collection = property.rowClass.collection(property.member, in: row, read)
        json.raw(isMap ? "\"entries\":[" : holdsObjects ? "\"objects\":[" : "\"elements\":[")
        let start = buffer.count
        var end = first
        collection.forEachPart(from: first) { part, partStart in
            for offset in max(0, first - partStart)..<max(0, first - partStart, part.count) {
                if buffer.count - start >= byteCountMax { return false }
                if end > first { json.comma() }
                if isMap {
                    json.raw("{\"key\":")
                    json.string(
                        part.keys?.bytes(offset) ?? UnsafeRawBufferPointer(start: nil, count: 0))
                    json.raw(",\"value\":")
                }
                writeElement(part.values, offset)
                if isMap { json.raw("}") }
                end += 1
            }
            return true
        }
        json.raw("]")
        return end
    }

    private var holdsObjects: Bool { property.compiled.classIndex >= 0 }

    private mutating func writeValue(_ row: RowView, key: UInt64) {
        if property.isMixedValue {
            if let value = property.mixed(in: row, read) { writer.write(mixed: value) }
            return
        }
        let selection = FieldSelection(
            only: property.member, of: property.rowClass, named: "value")
        for step in selection.steps {
            writer.writeValue(step, of: row, property.rowClass, key: key, selection)
        }
    }

    private mutating func writeElement(_ part: CollectionView, _ offset: Int) {
        if part.isNull(offset) { return json.null() }
        let classIndex = property.compiled.classIndex
        switch part.element {
        case .link:
            let key = part.pointer(offset).storedLink
            guard let row = read.row(classIndex: classIndex, key: key) else { return json.null() }
            writer.write(row, key: key, names.everything[classIndex])
        case .embedded:
            guard let row = RowView(part.bytes(offset)) else { return json.null() }
            writer.write(row, key: 0, names.everything[classIndex])
        default: writer.writeElement(offset, of: part)
        }
    }

    // MARK: What became of it

    /// Writes what became of a list; false where that is too much.
    mutating func write(
        _ difference: ListDifference, _ row: RowView, byteCountMax: Int
    ) -> Bool {
        write(difference.deletions.joined(), named: ",\"deletions\":[")
        write(difference.insertions.joined(), named: ",\"insertions\":[")
        write(difference.modifications.joined(), named: ",\"modifications\":[")
        json.raw(",\"values\":[")
        let inside = property.isValue ? property.mixed(in: row, read) : nil
        let list =
            inside == nil ? property.rowClass.collection(property.member, in: row, read) : nil
        for (position, index) in difference.toldIndices.enumerated() {
            if buffer.count > byteCountMax { return false }
            if position > 0 { json.comma() }
            json.raw("{\"index\":")
            json.uint(UInt64(index))
            json.raw(",\"value\":")
            if let inside {
                writer.write(mixed: inside.element(index))
            } else if let (part, offset) = list?.element(index) {
                writeElement(part, offset)
            } else {
                // The list is shorter than its changes say.
                return false
            }
            json.raw("}")
        }
        json.raw("]")
        return true
    }

    private func write(_ indices: some Sequence<Int>, named opening: StaticString) {
        json.raw(opening)
        for (position, index) in indices.enumerated() {
            if position > 0 { json.comma() }
            json.uint(UInt64(index))
        }
        json.raw("]")
    }

    /// Writes what became of a set or map; false where that is too much.
    ///
    /// - `before`: Where what was removed can be read.
    mutating func write(
        _ difference: KeyedDifference, _ row: RowView, before: ReadTransaction?, byteCountMax: Int
    ) -> Bool {
        let told = difference.inserted + difference.modified
        guard difference.removed.count + told.count <= ObservedProperty.elementCountMax else {
            return false
        }
        write(difference.removed, in: before ?? read, named: ",\"removed\":[")
        write(difference.inserted, in: read, named: ",\"inserted\":[")
        write(difference.modified, in: read, named: ",\"modified\":[")
        let isSet = !property.isValue && storage.shape == .set
        guard !isSet || holdsObjects else { return buffer.count <= byteCountMax }
        json.raw(",\"entries\":[")
        for (position, key) in told.enumerated() {
            if buffer.count > byteCountMax { return false }
            if position > 0 { json.comma() }
            json.raw("{\"key\":")
            write(key: key, in: read)
            json.raw(",\"value\":")
            if isSet {
                writeObject(key)
            } else {
                writeEntry(key, row)
            }
            json.raw("}")
        }
        json.raw("]")
        return true
    }

    private mutating func write(
        _ keys: [UnsafeRawBufferPointer?], in source: ReadTransaction, named opening: StaticString
    ) {
        json.raw(opening)
        for (position, key) in keys.enumerated() {
            if position > 0 { json.comma() }
            write(key: key, in: source)
        }
        json.raw("]")
    }

    /// Writes a map's key, or an element of a set: of a link its target's key.
    private mutating func write(key: UnsafeRawBufferPointer?, in source: ReadTransaction) {
        guard let key, let address = key.baseAddress else {
            // Only null has no bytes in a set; a map's key may be empty.
            return property.isValue || storage.shape == .map ? json.string("") : json.null()
        }
        guard !property.isValue, storage.shape == .set else { return json.string(key) }
        switch storage.element {
        case .link:
            let classIndex = property.compiled.classIndex
            guard let row = source.row(classIndex: classIndex, key: address.storedLink) else {
                return json.null()
            }
            writer.writeID(row, key: address.storedLink, names.schema.classes[classIndex])
        case .string: json.string(key)
        case .data: json.base64(key)
        case .mixed: writer.write(mixed: MixedView(key))
        case let element: writer.write(fixed: address, element)
        }
    }

    private mutating func writeObject(_ link: UnsafeRawBufferPointer?) {
        let classIndex = property.compiled.classIndex
        guard let key = link?.baseAddress?.storedLink,
            let row = read.row(classIndex: classIndex, key: key)
        else { return json.null() }
        writer.write(row, key: key, names.everything[classIndex])
    }

    private mutating func writeEntry(_ key: UnsafeRawBufferPointer?, _ row: RowView) {
        let key = key ?? UnsafeRawBufferPointer(start: nil, count: 0)
        if property.isValue {
            guard let map = property.mixed(in: row, read), let index = map.index(ofKey: key) else {
                return json.null()
            }
            return writer.write(mixed: map.element(index))
        }
        let map = property.rowClass.collection(property.member, in: row, read)
        guard let index = map.index(ofKey: key), let (part, offset) = map.element(index) else {
            return json.null()
        }
        writeElement(part, offset)
    }
}
