import HoldfastBytes
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastRows
import HoldfastStorageMemory
import HoldfastTestSupport

/// Rows outside a store, of a schema with every type of property.
struct RowFixture {
    let schema: RowSchema

    /// Compiles schemas that follow each other, as a store does; the last one is read with.
    static func schemas(_ versions: [[ObjectClass]]) throws -> [RowSchema] {
        let store = try Store(engine: MemoryEngine())
        defer { store.close() }
        return try versions.map { classes in
            try store.setSchema(classes)
            return store.catalog.rows
        }
    }

    init(_ schema: RowSchema) { self.schema = schema }

    init() throws { self.init(try RowFixture.schemas([RowFixture.classes])[0]) }

    /// A class with single values, lists, sets and maps of every type, links and embedded objects.
    static let classes: [ObjectClass] = {
        var properties: [Property] = []
        for type in ScalarType.plainCases {
            for isOptional in [false, true] {
                let name = "\(type)\(isOptional ? "Optional" : "")"
                // Without these the store would make up something else each time.
                let fixed: DefaultValue? =
                    switch type {
                    case .date: .constant(.date(Timestamp(seconds: 1, nanoseconds: 2)))
                    case .objectID: .constant(.objectID(ObjectID(high: 1, low: 2)))
                    case .uuid: .constant(.uuid(UUID128(high: 1, low: 2)))
                    default: nil
                    }
                properties += [
                    Property(
                        name: name, type: .single(.scalar(type)), isOptional: isOptional,
                        defaultValue: fixed),
                    Property(
                        name: "\(name)List", type: .list(.scalar(type)), isOptional: isOptional),
                    Property(name: "\(name)Set", type: .set(.scalar(type)), isOptional: isOptional),
                    Property(name: "\(name)Map", type: .map(.scalar(type)), isOptional: isOptional),
                ]
            }
        }
        properties += [
            Property(name: "link", type: .single(.object("All")), isOptional: true),
            Property(name: "links", type: .list(.object("All"))),
            Property(name: "linkSet", type: .set(.object("All"))),
            Property(name: "part", type: .single(.object("Part")), isOptional: true),
            Property(name: "parts", type: .list(.object("Part"))),
            Property(name: "linkMap", type: .map(.object("All")), isOptional: true),
            Property(name: "partMap", type: .map(.object("Part")), isOptional: true),
        ]
        return [
            ObjectClass(
                name: "All",
                properties: properties + [
                    Property(
                        name: "back", type: .linkingObjects(className: "All", property: "link"))
                ]),
            ObjectClass(name: "Part", kind: .embedded, properties: properties),
        ]
    }()

    /// Random contents of an object, with every property.
    func content(_ random: inout SeededGenerator) -> ObjectContent {
        let known = (1...4).map { Identity("All", .int($0)) }
        let maker = RandomContent(schema.definition.classes)
        let objectClass = schema.definition.classes[0]
        while true {
            let content = maker.draft(objectClass, known: known, share: 100, depth: 2, &random)
            if !hasNested(content) { return content }
        }
    }

    private func hasNested(_ content: ObjectContent) -> Bool {
        content.values.contains { value in
            switch value {
            case .nested: true
            case .nestedList(let list):
                list.contains { if case .nested = $0 { true } else { false } }
            case .embedded(let inner): hasNested(inner)
            case .embeddedList(let list): list.contains { hasNested($0) }
            case .entries(let entries): hasNested(entries)
            default: false
            }
        }
    }

    /// What a row of a full draft holds.
    func expected(_ content: ObjectContent, className: String = "All") -> ObjectContent {
        var result: ObjectContent = [:]
        for property in schema.rowClass(named: className)?.definition.properties ?? [] {
            let isSet = if case .set = property.type { true } else { false }
            switch content[property.name] {
            case .values(let values)?:
                result[property.name] = .values(isSet ? Value.canonicalSet(values) : values)
            case .nestedList(let links)?:
                let values = links.map { link in
                    if case .value(let value) = link { value } else { Value.null }
                }
                result[property.name] = .values(isSet ? Value.canonicalSet(values) : values)
            case .embedded(let inner)?:
                result[property.name] = .embedded(expected(inner, className: "Part"))
            case .embeddedList(let list)?:
                result[property.name] = .embeddedList(list.map { expected($0, className: "Part") })
            case .entries(let entries)?:
                result[property.name] = .entries(
                    entries.compactMapValues { entry in
                        switch entry {
                        case .removed: nil
                        case .embedded(let inner): .embedded(expected(inner, className: "Part"))
                        default: entry
                        }
                    })
            case let other?: result[property.name] = other
            case nil:
                if case .linkingObjects = property.type { continue }
                if property.type.isMap {
                    result[property.name] = .entries([:])
                } else if property.type.isCollection {
                    let isEmbedded = property.type.element == .object("Part")
                    result[property.name] = isEmbedded ? .embeddedList([]) : .values([])
                } else if case .constant(let value) = property.effectiveDefault {
                    result[property.name] = .value(value)
                }
            }
        }
        return result
    }

    func draft(_ content: ObjectContent, isMerge: Bool = false) -> ObjectDraft {
        ObjectDraft(
            content, schema.classes[schema.classIndex["All"] ?? 0], schema, isMerge: isMerge)
    }

    /// The targets of a draft whose links are all by object key.
    func targets(_ draft: ObjectDraft) -> ResolvedReferences {
        var resolved = ResolvedReferences(
            keys: draft.references.map { reference in
                if case .objectKey(let key) = reference.target { key } else { 0 }
            })
        for (position, child) in draft.children.enumerated() {
            resolved.children[position] = targets(child)
        }
        return resolved
    }

    /// The row of a draft over a stored one.
    func row(_ draft: ObjectDraft, over stored: [UInt8]? = nil, version: UInt64 = 7) -> [UInt8] {
        let builder = RowBuilder()
        let buffer = ByteBuffer()
        func append(_ view: RowView?) {
            _ = builder.append(
                draft, over: view.map { .changed($0) } ?? .none,
                version: version, targets: targets(draft), to: buffer)
        }
        if let stored { stored.withUnsafeBytes { append(RowView($0)) } } else { append(nil) }
        return buffer.array
    }

    /// What a row holds.
    func read(_ bytes: [UInt8]) -> ObjectContent? {
        let rowClass = schema.classes[schema.classIndex["All"] ?? 0]
        return bytes.withUnsafeBytes { bytes in
            guard let row = RowView(bytes), rowClass.canRead(row) else { return nil }
            return ContentReader(
                schema: schema, source: NothingOutOfLine(),
                identify: { .int(Int64(bitPattern: $1)) }
            )
            .content(row, rowClass)
        }
    }
}

/// Of rows that hold everything.
final class NothingOutOfLine: OverflowSource {
    func overflowChunk(_ key: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? { nil }
}
