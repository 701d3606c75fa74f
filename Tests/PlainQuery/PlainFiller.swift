import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastTestSupport

/// Fills a store with random objects, and changes them.
struct PlainFiller {
    private let classes: [ObjectClass]
    private var random: SeededGenerator
    /// The objects that are there, with what links name them by.
    private var known: [String: [Value]] = [:]

    init(_ classes: [ObjectClass], seed: UInt64) {
        self.classes = classes
        random = SeededGenerator(seed: seed)
    }

    private mutating func chance(_ percent: Int) -> Bool {
        Int.random(in: 0..<100, using: &random) < percent
    }

    private mutating func pick<T>(_ values: [T]) -> T {
        values[Int.random(in: values.indices, using: &random)]
    }

    private func objectClass(_ name: String) -> ObjectClass? { classes.first { $0.name == name } }

    /// Makes the objects, and then their links; deletes some of them.
    mutating func fill(_ store: Store) throws {
        try create(store, countMax: 25)
        try note(store)
        for name in PlainSchema.objectNames {
            guard let definition = objectClass(name) else { continue }
            for key in known[name] ?? [] {
                try write(definition, key, share: 85, store)
            }
        }
        try delete(store, percent: 8)
    }

    /// Changes some objects, makes some and deletes some.
    mutating func change(_ store: Store) throws {
        try note(store)
        for name in PlainSchema.objectNames {
            guard let definition = objectClass(name) else { continue }
            for key in known[name] ?? [] where chance(30) {
                try write(definition, key, share: 30, store)
            }
        }
        try create(store, countMax: 5)
        try note(store)
        try delete(store, percent: 8)
        try note(store)
    }

    private mutating func create(_ store: Store, countMax: Int) throws {
        var operations: [ObjectScript.Operation] = []
        for name in PlainSchema.objectNames {
            guard let definition = objectClass(name) else { continue }
            let most = name == "A" && chance(25) ? 2 * countMax : countMax
            for _ in 0..<Int.random(in: 0...most, using: &random) {
                var draft: ObjectContent = [:]
                if let key = definition.properties.first, key.name == definition.primaryKey {
                    draft[key.name] = .value(primaryKey(key))
                }
                operations.append(.write(name, draft, key: nil, .merge))
            }
        }
        try store.run(operations)
    }

    private mutating func primaryKey(_ property: Property) -> Value {
        let number = UInt64.random(in: 0..<90, using: &random)
        switch property.scalar {
        case .string: return .string(pick(["k", "K", "é"]) + String(number % 40))
        case .uuid: return .uuid(UUID128(high: (number % 2) << 63, low: number))
        case .objectID: return .objectID(ObjectID(high: number % 2, low: UInt32(number)))
        default: return .int(number == 89 ? .max : Int64(number) - 5)
        }
    }

    private mutating func note(_ store: Store) throws {
        let objects = try store.contents().objects
        known = [:]
        for name in PlainSchema.objectNames {
            known[name] = objects.keys.filter { $0.className == name }.sorted().map(\.key)
        }
    }

    private mutating func delete(_ store: Store, percent: Int) throws {
        for name in PlainSchema.objectNames {
            for key in known[name] ?? [] where chance(percent) { try store.delete(name, key) }
        }
    }

    private mutating func write(
        _ definition: ObjectClass, _ key: Value, share: Int, _ store: Store
    ) throws {
        var draft = content(definition, share: share)
        if let primaryKey = definition.primaryKey {
            draft[primaryKey] = .value(key)
            try store.put(definition.name, draft)
        } else {
            try store.put(definition.name, draft, key: key)
        }
    }

    // MARK: Contents

    private mutating func content(_ definition: ObjectClass, share: Int) -> ObjectContent {
        var content: ObjectContent = [:]
        for property in definition.properties where property.name != definition.primaryKey {
            let isRequired =
                definition.kind == .embedded && property.scalar != nil && !property.isOptional
                && !property.type.isCollection
            guard isRequired || chance(share), let made = self.content(property) else { continue }
            content[property.name] = made
        }
        if definition.name == "P" { return point() }
        return content
    }

    private mutating func content(_ property: Property) -> Content? {
        let count = pick([0, 0, 1, 2, 3])
        switch property.type {
        case .linkingObjects: return nil
        case .single(.scalar): return .value(scalar(property))
        case .list(.scalar), .set(.scalar):
            return .values((0..<count).map { _ in scalar(property) })
        case .map(.scalar):
            return entries(count) { .value($0.scalar(property)) }
        case .single(.object(let target)):
            return chance(25) ? .null : object(target) ?? .null
        case .list(.object(let target)), .set(.object(let target)):
            let made = (0..<count).compactMap { _ in object(target) }
            if objectClass(target)?.kind == .object {
                return .values(made.map(\.plainValue))
            }
            return .embeddedList(
                made.compactMap { if case .embedded(let inner) = $0 { inner } else { nil } })
        case .map(.object(let target)):
            return entries(count) { $0.chance(20) ? .null : $0.object(target) ?? .null }
        }
    }

    private mutating func entries(
        _ count: Int, _ make: (inout PlainFiller) -> Content
    ) -> Content {
        var entries: [String: Content] = [:]
        for _ in 0..<count { entries[pick(PlainDomain.keys)] = make(&self) }
        return .entries(entries)
    }

    private mutating func object(_ target: String) -> Content? {
        guard let definition = objectClass(target) else { return nil }
        if definition.kind == .embedded { return .embedded(content(definition, share: 70)) }
        return link(target).map { .value($0) }
    }

    private mutating func link(_ target: String) -> Value? {
        guard let keys = known[target], !keys.isEmpty else { return nil }
        return .link(className: target, key: pick(keys))
    }

    private mutating func scalar(_ property: Property) -> Value {
        if property.isOptional, chance(20) { return .null }
        if let cases = property.cases { return pick(cases) }
        guard property.scalar == .mixed else {
            return PlainDomain.value(property.scalar ?? .int, &random)
        }
        // Of links in a set only one, since their order there is the store's own.
        if case .set = property.type { return mixed(depth: 0, links: false) }
        return mixed(depth: 2, links: true)
    }

    private mutating func mixed(depth: Int, links: Bool) -> Value {
        switch Int.random(in: 0..<12, using: &random) {
        case 0: return .null
        case 1, 2, 3:
            guard links else { return .int(1) }
            return link(pick(PlainSchema.objectNames)) ?? .null
        case 4, 5:
            guard depth > 0 else { return .bool(true) }
            return .list(
                (0..<pick([0, 1, 2, 3])).map { _ in mixed(depth: depth - 1, links: links) })
        case 6, 7:
            guard depth > 0 else { return .int(2) }
            return .map(
                ["", "a", "b", "one"].filter { _ in Bool.random(using: &random) }.map {
                    Value.MapEntry($0, mixed(depth: depth - 1, links: links))
                })
        default: return PlainDomain.value(.mixed, &random)
        }
    }

    private mutating func point() -> ObjectContent {
        let coordinates: [Double] =
            chance(10)
            ? pick([[], [10], [200, 0], [0, 95], [.nan, 0]])
            : [
                Double(Int.random(in: -3...3, using: &random)) * 10,
                Double(Int.random(in: -3...3, using: &random)) * 10,
            ]
        return [
            "type": .value(.string(pick(["Point", "Point", "point", "POINT", "Line"]))),
            "coordinates": .values(coordinates.map { .double($0) }),
        ]
    }
}
