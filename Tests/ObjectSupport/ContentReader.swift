import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastRows

/// Reads rows as ``ObjectContent``.
package struct ContentReader {
    /// The schema that the rows are read with.
    package let schema: RowSchema
    /// The key that a link's target is known by, from its class's position and object key.
    package let identify: (Int, UInt64) -> Value

    private let source: any OverflowSource
    private let ordersSets: Bool

    /// Makes a reader.
    ///
    /// - `source`: Reads out-of-line values.
    /// - `ordersSets`: Whether sets of links are put in the order of what the links are known by; else they
    ///   stand as they are stored.
    package init(
        schema: RowSchema, source: any OverflowSource, ordersSets: Bool = true,
        identify: @escaping (Int, UInt64) -> Value
    ) {
        self.schema = schema
        self.source = source
        self.ordersSets = ordersSets
        self.identify = identify
    }

    /// What a row holds.
    package func content(_ row: RowView, _ rowClass: RowClass) -> ObjectContent {
        var content: ObjectContent = [:]
        for (member, compiled) in rowClass.members.enumerated()
        where compiled.storage.shape != .none {
            content[rowClass.definition.properties[member].name] = read(member, row, rowClass)
        }
        return content
    }

    private func read(_ member: Int, _ row: RowView, _ rowClass: RowClass) -> Content {
        let compiled = rowClass.members[member]
        let field = rowClass.field(member, in: row)
        switch (compiled.storage.shape, compiled.storage.element) {
        case (.single, _) where field.isNull: return .null
        case (.single, .embedded):
            guard let inner = rowClass.embedded(member, in: row),
                schema.classes[compiled.classIndex].canRead(inner)
            else { return .null }
            return .embedded(content(inner, schema.classes[compiled.classIndex]))
        case (.single, let element):
            let width = element.fixedByteCount
            let bytes = width.map { UnsafeRawBufferPointer(start: field.slot, count: $0) }
            return .value(value(bytes ?? field.text(source), element, compiled.classIndex))
        case (.map, _):
            return .entries(entries(rowClass.collection(member, in: row, source), compiled))
        case (_, .embedded):
            var objects: [ObjectContent] = []
            rowClass.collection(member, in: row, source).forEach(within: nil) { list, place, _ in
                if let inner = RowView(list.bytes(place)),
                    schema.classes[compiled.classIndex].canRead(inner)
                {
                    objects.append(content(inner, schema.classes[compiled.classIndex]))
                }
                return true
            }
            return .embeddedList(objects)
        case (let shape, let element):
            var values: [Value] = []
            rowClass.collection(member, in: row, source).forEach(within: nil) { list, place, _ in
                values.append(
                    list.isNull(place)
                        ? .null : value(list.bytes(place), element, compiled.classIndex))
                return true
            }
            // A set of links stands in the order of object keys, which are not part of the content.
            if ordersSets, shape == .set, element == .link || element == .mixed {
                values = Value.canonicalSet(values)
            }
            return .values(values)
        }
    }

    private func entries(_ map: StoredCollection, _ compiled: RowClass.Member)
        -> [String: Content]
    {
        var entries: [String: Content] = [:]
        map.forEach(within: nil) { values, place, index in
            let key = String(
                decoding: map.key(index) ?? UnsafeRawBufferPointer(start: nil, count: 0),
                as: UTF8.self)
            let bytes = values.bytes(place)
            if values.isNull(place) {
                entries[key] = .null
            } else if compiled.storage.element != .embedded {
                entries[key] = .value(value(bytes, compiled.storage.element, compiled.classIndex))
            } else if let inner = RowView(bytes), schema.classes[compiled.classIndex].canRead(inner)
            {
                entries[key] = .embedded(content(inner, schema.classes[compiled.classIndex]))
            }
            return true
        }
        return entries
    }

    private func value(
        _ bytes: UnsafeRawBufferPointer, _ element: ElementStorage, _ classIndex: Int
    ) -> Value {
        switch element {
        case .string: return .string(String(decoding: bytes, as: UTF8.self))
        case .data: return .data(Array(bytes))
        case .mixed: return value(MixedView(bytes))
        default: break
        }
        guard let address = bytes.baseAddress else { return .null }
        switch element {
        case .bool: return .bool(address.storedBool)
        case .int: return .int(address.storedInt)
        case .double: return .double(address.storedDouble)
        case .float: return .float(address.storedFloat)
        case .decimal: return .decimal(address.storedDecimal)
        case .date: return .date(address.storedDate)
        case .objectID: return .objectID(address.storedObjectID)
        case .uuid: return .uuid(address.storedUUID)
        case .link:
            return .link(
                className: schema.classes[classIndex].definition.name,
                key: identify(classIndex, address.storedLink))
        case .string, .data, .embedded, .mixed: return .null
        }
    }

    private func value(_ value: MixedView) -> Value {
        switch value.kind {
        case .null: return .null
        case .list: return .list((0..<value.count).map { self.value(value.element($0)) })
        case .map:
            return .map(
                (0..<value.count).map { index in
                    Value.MapEntry(
                        String(decoding: value.key(index), as: UTF8.self),
                        self.value(value.element(index)))
                })
        case .link:
            guard let link = value.link, let index = schema.classIndexByNumber[link.classNumber]
            else { return .null }
            return .link(
                className: schema.classes[index].definition.name, key: identify(index, link.key))
        default:
            guard let storage = value.kind.storage else { return .null }
            return self.value(value.payload, storage, -1)
        }
    }
}

/// Everything that a store holds at one version, read into plain values.
package struct StoreContents {
    /// One object.
    package struct Object: Equatable, Sendable {
        /// What it holds.
        package var content: ObjectContent
        /// Its version.
        package var version: UInt64
        /// Its object key.
        package var key: UInt64
    }

    /// The objects.
    package private(set) var objects: [Identity: Object] = [:]
    /// The object of each class, by position, and object key.
    package private(set) var identities: [ObjectIdentity: Identity] = [:]

    /// Reads a view of a store.
    package init(_ transaction: ReadTransaction) throws(StoreError) {
        let rows = transaction.rows
        var identities: [ObjectIdentity: Identity] = [:]
        for rowClass in rows.classes where rowClass.definition.kind.standsAlone {
            let reader = ContentReader(schema: rows, source: transaction) { _, _ in .null }
            try transaction.scan(rowClass) { key, row in
                var name = Value.int(Int64(bitPattern: key))
                if let primaryKey = rowClass.definition.primaryKey,
                    case .value(let value)? = reader.content(row, rowClass)[primaryKey]
                {
                    name = value
                }
                identities[ObjectIdentity(classIndex: rowClass.index, key: key)] = Identity(
                    rowClass.definition.name, name)
                return true
            }
        }
        let known = identities
        let reader = ContentReader(schema: rows, source: transaction) { classIndex, key in
            known[ObjectIdentity(classIndex: classIndex, key: key)]?.key
                ?? .string("object \(key) is missing")
        }
        for rowClass in rows.classes where rowClass.definition.kind.standsAlone {
            var found: [Identity: Object] = [:]
            try transaction.scan(rowClass) { key, row in
                guard let name = known[ObjectIdentity(classIndex: rowClass.index, key: key)] else {
                    return true
                }
                found[name] = Object(
                    content: reader.content(row, rowClass), version: row.version, key: key)
                return true
            }
            objects.merge(found) { first, _ in first }
        }
        self.identities = identities
    }
}
