import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastRows

/// Everything that a store holds, as dictionaries. Links in it name their targets by object key.
struct PlainWorld {
    /// The classes by name.
    let classes: [String: ObjectClass]
    /// Their names in the order of the schema.
    let names: [String]
    /// The contents of the objects of each class, by object key.
    private(set) var objects: [String: [UInt64: ObjectContent]] = [:]

    private struct Origin: Hashable {
        var className: String
        var property: String
        var target: Value
    }

    /// The objects, embedded ones too, that lead to another along a property, as often as they do.
    private var origins: [Origin: [PlainObject]] = [:]
    /// How many links lead to each object from anywhere.
    private var linkCounts: [Value: Int] = [:]

    /// Reads a view of a store.
    init(_ transaction: ReadTransaction) throws(StoreError) {
        let rows = transaction.rows
        names = rows.definition.classes.map(\.name)
        classes = Dictionary(uniqueKeysWithValues: rows.definition.classes.map { ($0.name, $0) })
        let reader = ContentReader(
            schema: rows, source: transaction, ordersSets: false
        ) { .int(Int64(bitPattern: $1)) }
        for rowClass in rows.classes where rowClass.definition.kind == .object {
            var found: [UInt64: ObjectContent] = [:]
            let definition = rowClass.definition
            try transaction.scan(rowClass) { key, row in
                var content = reader.content(row, rowClass)
                for property in definition.properties {
                    if let second = property.mapTo { content[second] = content[property.name] }
                }
                found[key] = content
                return true
            }
            objects[rowClass.definition.name] = found
        }
        noteLinks()
    }

    /// The same classes with other objects.
    func with(_ objects: [String: [UInt64: ObjectContent]]) -> PlainWorld {
        var world = self
        world.objects = objects
        world.noteLinks()
        return world
    }

    /// The objects of a class in the order of their keys.
    func all(_ className: String) -> [PlainObject] {
        (objects[className] ?? [:]).sorted { $0.key < $1.key }.map {
            PlainObject(className: className, key: $0.key, content: $0.value)
        }
    }

    /// A property of a class, by either of its names.
    func property(_ className: String, _ name: String) -> Property? {
        classes[className]?.properties.first { $0.name == name || $0.mapTo == name }
    }

    /// What a link leads to; nil for null, and for an object that is not there.
    func object(_ link: Value) -> PlainObject? {
        guard case .link(let className, .int(let number)) = link else { return nil }
        let key = UInt64(bitPattern: number)
        return objects[className]?[key].map {
            PlainObject(className: className, key: key, content: $0)
        }
    }

    /// The object that has a primary key, or of a class without one an object key, as a link; nil when
    /// there is none.
    func link(_ className: String, _ key: Value) -> Value? {
        guard let definition = classes[className] else { return nil }
        let found = objects[className]?.first { entry in
            guard let primaryKey = definition.primaryKey else {
                return key == .int(Int64(bitPattern: entry.key))
            }
            return entry.value[primaryKey] == .value(key)
        }
        return found.map { .link(className: className, key: .int(Int64(bitPattern: $0.key))) }
    }

    /// The objects that lead to one along a property of theirs.
    func origins(of target: PlainObject, _ className: String, _ property: String) -> [PlainObject] {
        origins[Origin(className: className, property: property, target: target.link)] ?? []
    }

    /// How many links lead to an object.
    func linkCount(of target: PlainObject) -> Int { linkCounts[target.link] ?? 0 }

    /// What is no set although it should be: an object with a set that is not in the order of its values, or
    /// has one twice.
    var disorder: String? {
        for name in names {
            let sets = (classes[name]?.properties ?? []).filter {
                if case .set = $0.type { true } else { false }
            }
            for object in all(name) {
                for property in sets {
                    guard case .values(let values)? = object.content[property.name] else {
                        continue
                    }
                    let isOrdered = zip(values, values.dropFirst()).allSatisfy {
                        PlainComparison.sortOrder($0, $1) < 0
                    }
                    if !isOrdered { return "\(object.link.brief).\(property.name): \(values)" }
                }
            }
        }
        return nil
    }

    /// Some objects and those near them, as far as a query's text names their properties; for messages.
    func describe(_ className: String, _ keys: some Sequence<UInt64>, _ text: String) -> [String] {
        var lines = names.compactMap { name -> String? in
            let properties = (classes[name]?.properties ?? []).filter { text.contains($0.name) }
            let list = properties.map { property in
                "\(property.name): \(property.type)\(property.isOptional ? "?" : "")"
                    + (property.isIndexed ? " indexed" : "")
                    + (property.searchIndex.map { " \($0.name)" } ?? "")
            }
            return list.isEmpty ? nil : "  class \(name): " + list.joined(separator: ", ")
        }
        var seen: Set<Value> = []
        var waiting = keys.map {
            Value.link(className: className, key: .int(Int64(bitPattern: $0)))
        }
        while let link = waiting.popLast(), seen.count < 12 {
            guard seen.insert(link).inserted, let object = object(link) else { continue }
            let shown = object.content.filter { text.contains($0.key) }
            lines.append("  \(link.brief) \(shown.brief)")
            waiting = shown.inKeyOrder.flatMap { Self.links(in: $0.value) } + waiting
        }
        return lines
    }

    private static func links(in content: Content) -> [Value] {
        switch content {
        case .value(let value): links(in: value)
        case .values(let values): values.flatMap { links(in: $0) }
        case .entries(let entries): entries.inKeyOrder.flatMap { links(in: $0.value) }
        case .embedded(let inner): inner.inKeyOrder.flatMap { links(in: $0.value) }
        case .embeddedList(let list): list.flatMap { $0.inKeyOrder.flatMap { links(in: $0.value) } }
        default: []
        }
    }

    private static func links(in value: Value) -> [Value] {
        switch value {
        case .link: [value]
        case .list(let values): values.flatMap { links(in: $0) }
        case .map(let entries): entries.flatMap { links(in: $0.value) }
        default: []
        }
    }

    // MARK: Links

    private mutating func noteLinks() {
        (origins, linkCounts) = ([:], [:])
        for name in names {
            for object in all(name) { noteLinks(of: object) }
        }
    }

    private mutating func noteLinks(of object: PlainObject) {
        for property in classes[object.className]?.properties ?? [] {
            guard let content = object.content[property.name] else { continue }
            note(content, property.name, of: object)
        }
    }

    private mutating func note(_ content: Content, _ property: String, of object: PlainObject) {
        switch content {
        case .value(let value): note(value, property, of: object)
        case .values(let values): for value in values { note(value, property, of: object) }
        case .entries(let entries):
            for (_, entry) in entries.inKeyOrder { note(entry, property, of: object) }
        case .embedded(let inner): noteEmbedded(inner, property, of: object)
        case .embeddedList(let list):
            for inner in list { noteEmbedded(inner, property, of: object) }
        case .removed, .nested, .nestedList, .generated: return
        }
    }

    private mutating func noteEmbedded(
        _ content: ObjectContent, _ property: String, of object: PlainObject
    ) {
        guard case .object(let name)? = self.property(object.className, property)?.type.element
        else { return }
        noteLinks(of: PlainObject(className: name, key: object.key, content: content))
    }

    private mutating func note(_ value: Value, _ property: String, of object: PlainObject) {
        switch value {
        case .link:
            linkCounts[value, default: 0] += 1
            // Only what is declared as a link has an inverse.
            if self.property(object.className, property)?.scalar == nil {
                let origin = Origin(
                    className: object.className, property: property, target: value)
                origins[origin, default: []].append(object)
            }
        case .list(let values): for value in values { note(value, property, of: object) }
        case .map(let entries): for entry in entries { note(entry.value, property, of: object) }
        default: return
        }
    }
}
