import HoldfastBytes
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastRows
import HoldfastStoreService

/// Writes a followed property as JSON, and its changes. Linked objects have the shape of pages of collections.
struct PropertyWriter {
    let buffer: ByteBuffer
    private let property: ObservedProperty
    private let names: SchemaNames
    private let read: ReadTransaction
    private let limits: ServiceLimits
    private let json: JSONWriter
    /// The shown properties of the linked objects, or of a single value.
    private let selection: FieldSelection
    /// Whether objects of a set are written with their keys, because they need not show them.
    private let showsKeys: Bool
    private var writer: ObjectWriter

    init(
        _ stream: CheckedStream, _ property: ObservedProperty, _ read: ReadTransaction,
        _ limits: ServiceLimits
    ) {
        self.property = property
        self.read = read
        self.limits = limits
        names = stream.names
        buffer = ByteBuffer(capacity: 1024)
        json = JSONWriter(buffer)
        selection =
            stream.selection
            ?? FieldSelection(only: property.member, of: property.rowClass, named: "value")
        let isShaped = stream.definition.fields != nil || stream.projection != nil
        showsKeys = property.isSet && property.holdsObjects && isShaped
        writer = stream.makeWriter(to: buffer, of: read, limits)
    }

    /// Ends the writing and returns the bytes.
    ///
    /// - Throws: ``RequestFault`` if an object was too large.
    func finish() throws(RequestFault) -> SharedBytes {
        guard writer.hasRoom else { throw .replyTooLarge(limits.queryMemoryByteCountMax) }
        return SharedBytes(buffer)
    }

    private var storage: FieldStorage { property.compiled.storage }

    // MARK: Values

    /// The number of elements in an object's collection; 0 for a property that is sent as one value.
    func count(_ row: RowView) -> Int {
        property.isValue ? 0 : property.rowClass.collection(property.member, in: row, read).count
    }

    /// Writes a piece of a snapshot.
    ///
    /// - `first`: The element to begin with.
    /// - Returns: The element to continue with; nil if there is no value.
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
        let isKeyed = isMap || showsKeys
        let collection = property.rowClass.collection(property.member, in: row, read)
        json.raw(
            isKeyed ? "\"entries\":[" : property.holdsObjects ? "\"objects\":[" : "\"elements\":[")
        let start = buffer.count
        var end = first
        collection.forEachPart(from: first) { part, partStart in
            for offset in max(0, first - partStart)..<max(0, first - partStart, part.count) {
                if buffer.count - start >= byteCountMax { return false }
                if end > first { json.comma() }
                if isKeyed {
                    let key = isMap ? part.keys?.bytes(offset) : part.values.bytes(offset)
                    json.raw("{\"key\":")
                    write(key: key ?? UnsafeRawBufferPointer(start: nil, count: 0))
                    json.raw(",\"value\":")
                }
                writeElement(part.values, offset)
                if isKeyed { json.raw("}") }
                end += 1
            }
            return true
        }
        json.raw("]")
        return end
    }

    private mutating func writeValue(_ row: RowView, key: UInt64) {
        if property.isMixedValue {
            if let value = property.mixed(in: row, read) { writer.write(mixed: value) }
            return
        }
        for step in selection.steps {
            writer.writeValue(step, of: row, property.rowClass, key: key, selection)
        }
    }

    private mutating func writeElement(_ part: CollectionView, _ offset: Int) {
        if part.isNull(offset) { return json.null() }
        switch part.element {
        case .link: write(target: part.pointer(offset).storedLink)
        case .embedded:
            guard let row = RowView(part.bytes(offset)) else { return json.null() }
            writer.write(row, key: 0, selection)
        default: writer.writeElement(offset, of: part)
        }
    }

    private mutating func write(target key: UInt64) {
        guard let row = read.row(classIndex: property.compiled.classIndex, key: key) else {
            return json.null()
        }
        writer.write(row, key: key, selection)
    }

    // MARK: Changes

    /// Writes `op` and the rest of an outcome; false if it is too large.
    ///
    /// - `owner`: The object; nil if it is gone.
    mutating func write(
        _ outcome: PropertyOutcome, _ owner: (key: UInt64, row: RowView)?, byteCountMax: Int
    ) -> Bool {
        guard let (key, row) = owner, !property.isMixedValue || property.mixed(in: row, read) != nil
        else {
            json.raw("\"delete\"")
            return true
        }
        switch outcome {
        case .list(let difference): return write(difference, row, byteCountMax: byteCountMax)
        case .keyed(let keyed): return write(keyed, row, byteCountMax: byteCountMax)
        case .value: json.raw("\"update\",")
        case .nothing, .deleted, .entered, .unknown: json.raw("\"enter\",")
        }
        let end = writeMembers(row, key: key, from: 0, byteCountMax: byteCountMax)
        return end == count(row)
    }

    private mutating func write(
        _ difference: ListDifference, _ row: RowView, byteCountMax: Int
    ) -> Bool {
        write(difference.deletions.joined(), named: "\"update\",\"deletions\":")
        write(difference.insertions.joined(), named: ",\"insertions\":")
        write(difference.modifications.joined(), named: ",\"modifications\":")
        json.raw(",\"values\":[")
        for (position, index) in difference.toldIndices.enumerated() {
            if buffer.count > byteCountMax { return false }
            if position > 0 { json.comma() }
            json.raw("{\"index\":")
            json.uint(UInt64(index))
            json.raw(",\"value\":")
            guard write(.element(index), in: row, key: 0) else { return false }
            json.raw("}")
        }
        json.raw("]")
        return true
    }

    private func write(_ indices: some Sequence<Int>, named opening: StaticString) {
        json.raw(opening)
        json.array(of: indices) { index, json in json.uint(UInt64(index)) }
    }

    private mutating func write(_ keyed: KeyedChanges, _ row: RowView, byteCountMax: Int) -> Bool {
        guard keyed.changes.count <= ObservedProperty.elementCountMax else { return false }
        var removed: [[UInt8]] = []
        var (inserted, modified): ([[UInt8]?], [[UInt8]?]) = ([], [])
        for (key, change) in keyed.inOrder {
            switch change {
            case .inserted: inserted.append(key)
            case .modified: modified.append(key)
            case .removed(let text): removed.append(text)
            }
        }
        json.raw("\"update\",\"removed\":")
        json.array(of: removed) { text, json in text.withUnsafeBytes { json.raw($0) } }
        write(inserted, named: ",\"inserted\":")
        write(modified, named: ",\"modified\":")
        guard !property.isSet || property.holdsObjects else { return buffer.count <= byteCountMax }
        json.raw(",\"entries\":[")
        for (position, key) in (inserted + modified).enumerated() {
            if buffer.count > byteCountMax { return false }
            if position > 0 { json.comma() }
            json.raw("{\"key\":")
            write(key: key)
            json.raw(",\"value\":")
            _ = write(.entry(key), in: row, key: 0)
            json.raw("}")
        }
        json.raw("]")
        return true
    }

    private mutating func write(_ keys: [[UInt8]?], named opening: StaticString) {
        json.raw(opening)
        json.array(of: keys) { key, _ in write(key: key) }
    }

    /// A part of a shown property.
    enum Part {
        /// The whole property.
        case value
        /// The element of a list at an index.
        case element(Int)
        /// The value of a key of a map, or the object of an element of a set.
        case entry([UInt8]?)
        /// The key itself, or an element of a set. A link is written as its target's key.
        case key([UInt8]?)
    }

    /// Writes a part as JSON; nil if it is too large.
    mutating func text(of part: Part, in row: RowView, key: UInt64) -> [UInt8]? {
        buffer.removeAll()
        _ = write(part, in: row, key: key)
        return writer.hasRoom ? buffer.array : nil
    }

    /// - Returns: False for an element of a list that is shorter than its changes say.
    private mutating func write(_ part: Part, in row: RowView, key: UInt64) -> Bool {
        switch part {
        case .value: writeValue(row, key: key)
        case .element(let index) where property.isValue:
            guard let list = property.mixed(in: row, read) else { return false }
            writer.write(mixed: list.element(index))
        case .element(let index):
            let list = property.rowClass.collection(property.member, in: row, read)
            guard let (values, offset) = list.element(index) else { return false }
            writeElement(values, offset)
        case .entry(let key): property.isSet ? writeObject(key) : writeEntry(key ?? [], row)
        case .key(let key): write(key: key)
        }
        return true
    }

    private mutating func write(key: [UInt8]?) {
        guard let key else { return json.null() }
        key.withUnsafeBytes { write(key: $0) }
    }

    private mutating func write(key: UnsafeRawBufferPointer) {
        guard property.isSet else { return json.string(key) }
        switch storage.element {
        case .string: json.string(key)
        case .data: json.base64(key)
        case .mixed: writer.write(mixed: MixedView(key))
        case let element:
            guard let address = key.baseAddress else { return json.null() }
            guard element == .link else { return writer.write(fixed: address, element) }
            let classIndex = property.compiled.classIndex
            guard let row = read.row(classIndex: classIndex, key: address.storedLink) else {
                return json.null()
            }
            writer.writeID(row, key: address.storedLink, names.schema.classes[classIndex])
        }
    }

    private mutating func writeObject(_ link: [UInt8]?) {
        // The target of a link in a `mixed` value is not shown.
        guard storage.element == .link else { return write(key: link) }
        guard let key = link?.withUnsafeBytes({ $0.baseAddress?.storedLink }) else {
            return json.null()
        }
        write(target: key)
    }

    private mutating func writeEntry(_ key: [UInt8], _ row: RowView) {
        if property.isValue {
            let map = property.mixed(in: row, read)
            let index = key.withUnsafeBytes { map?.index(ofKey: $0) }
            guard let map, let index else { return json.null() }
            return writer.write(mixed: map.element(index))
        }
        let map = property.rowClass.collection(property.member, in: row, read)
        guard let index = key.withUnsafeBytes({ map.index(ofKey: $0) }),
            let (part, offset) = map.element(index)
        else { return json.null() }
        writeElement(part, offset)
    }
}
