import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastQuery
import HoldfastTestSupport

/// Random contents and rules for two stores: one with everything, and one with the part that the rules admit, whose objects have the
/// same object keys.
package struct VisibilityModels {
    /// The schema of both.
    package let classes: [ObjectClass]
    /// The properties that the rules hide on some objects, by either name.
    package private(set) var hidden: Set<String> = []
    /// The rules in words.
    package var text: String { rules?.text ?? "" }
    /// The objects of the part by class: what links name them by.
    package private(set) var objects: [String: [Value]] = [:]
    /// The same of the whole.
    package private(set) var allObjects: [String: [Value]] = [:]
    /// The filters of the last ``makeRules(_:_:)``.
    private var maker: PlainQueryMaker?
    private var rules: PlainVisibility?
    private var random: SeededGenerator

    /// Makes a schema.
    ///
    /// - `embedsMaps`: Whether embedded objects may have maps of links.
    package init(seed: UInt64, embedsMaps: Bool = false) {
        random = SeededGenerator(seed: seed)
        classes = PlainSchema.make(&random, embedsMaps: embedsMaps)
    }

    /// Fills two empty stores with the same objects, and takes from the second what random rules do not admit.
    package mutating func fill(_ whole: Store, _ part: Store) throws {
        try fill(whole, part) { world, view, random in
            PlainVisibility(world, view, &random, hidesRequired: false)
        }
    }

    /// The same by given rules.
    mutating func fill(
        _ whole: Store, _ part: Store,
        by makeRules: (PlainWorld, StoreView, inout SeededGenerator) -> PlainVisibility
    ) throws {
        let filler = PlainFiller(classes, seed: random.next())
        for store in [whole, part] {
            var filler = filler
            try filler.fill(store)
        }
        // What each store has made up by itself, such as the time of a write.
        try part.run(
            Self.operations(
                from: part.reading { try PlainWorld($0) },
                likeScalarsOf: whole.reading { try PlainWorld($0) }))
        let (world, rules) = try whole.reading { view in
            let world = try PlainWorld(view)
            return (world, makeRules(world, view, &random))
        }
        self.rules = rules
        hidden = Set(rules.classes.values.joined().flatMap(\.hidden))
        let admitted = rules.part(of: world)
        try part.run(Self.operations(from: world, to: admitted))
        for name in PlainSchema.objectNames {
            objects[name] = admitted.all(name).map { Self.key(of: $0, admitted) }
            allObjects[name] = world.all(name).map { Self.key(of: $0, world) }
        }
        let copy = try part.reading { try PlainWorld($0) }
        maker = PlainQueryMaker(copy, seed: random.next())
    }

    /// The sight of a view of the first store.
    package func visibility(in view: StoreView) -> Visibility? { rules?.visibility(in: view) }

    /// The objects of a store, by class and object key.
    package typealias Contents = [String: [UInt64: ObjectContent]]

    /// Everything that a store holds.
    package static func contents(of store: Store) throws -> Contents {
        try store.reading { try PlainWorld($0).objects }
    }

    /// Whether the rules show all of the objects that are new between two states of the first store, and of the others that are left the
    /// same as before.
    ///
    /// Where they do not, the second store is no longer the part of the first that they admit.
    package func showTheSame(before: Contents, after: Contents, _ store: Store) throws -> Bool {
        guard let rules else { return true }
        let world = try store.reading { try PlainWorld($0) }
        let hidden = rules.hidden(in: world.with(before))
        let left = rules.hidden(in: world.with(after))
        return after.allSatisfy { name, objects in
            objects.keys.allSatisfy { key in
                before[name]?[key] == nil
                    ? left[name]?[key] == [] : left[name]?[key] == hidden[name]?[key]
            }
        }
    }

    /// What the rules do not show of the first store as it is: for each object that is hidden all of it, else the values that are,
    /// and the elements of its lists and sets.
    ///
    /// - `judged`: The contents that the rules are asked of.
    package func unseen(
        in contents: Contents,
        judgedBy judged: Contents, _ store: Store
    ) throws -> Contents {
        guard let rules else { return [:] }
        let world = try store.reading { try PlainWorld($0) }
        let shown = rules.part(of: world.with(judged)).objects
        func isSeen(_ value: Value) -> Bool {
            guard case .link(let name, .int(let key)) = value else { return true }
            return shown[name]?[UInt64(bitPattern: key)] != nil
        }
        var unseen: Contents = [:]
        for (name, objects) in contents {
            for (key, content) in objects {
                unseen[name, default: [:]][key] =
                    shown[name]?[key].map { shown in
                        content.reduce(into: ObjectContent()) { unseen, entry in
                            let value = shown[entry.key]
                            if value.map(Self.isNothing) ?? false, value != entry.value {
                                unseen[entry.key] = entry.value
                            } else if case .values(let values) = entry.value {
                                let hidden = values.filter { !isSeen($0) }
                                if !hidden.isEmpty { unseen[entry.key] = .values(hidden) }
                            }
                        }
                    } ?? content
            }
        }
        return unseen
    }

    /// A random query, as text with arguments.
    package mutating func query() -> (className: String, text: String, arguments: [QueryArgument]) {
        guard let query = maker?.make() else { return ("A", "TRUEPREDICATE", []) }
        var printer = PlainPrinter()
        let text = printer.text(query)
        return (query.className, text, printer.arguments)
    }

    static func key(of object: PlainObject, _ world: PlainWorld) -> Value {
        if let name = world.classes[object.className]?.primaryKey {
            return object.content[name]?.plainValue ?? .null
        }
        return .int(Int64(bitPattern: object.key))
    }

    /// What gives the objects of the one world the plain values of the other.
    private static func operations(
        from world: PlainWorld, likeScalarsOf other: PlainWorld
    ) -> [ObjectScript.Operation] {
        PlainSchema.objectNames.flatMap { name in
            world.all(name).compactMap { object -> ObjectScript.Operation? in
                var draft: ObjectContent = [:]
                for property in world.classes[name]?.properties ?? [] {
                    guard case .single(.scalar(let type)) = property.type, type != .mixed,
                        let value = other.objects[name]?[object.key]?[property.name],
                        value != object.content[property.name]
                    else { continue }
                    draft[property.name] = value
                }
                if draft.isEmpty { return nil }
                let key = key(of: object, world)
                let primaryKey = world.classes[name]?.primaryKey
                if let primaryKey { draft[primaryKey] = .value(key) }
                return .write(name, draft, key: primaryKey == nil ? key : nil, .merge)
            }
        }
    }

    /// What makes the one of the other: hidden values become null, and objects go.
    private static func operations(
        from world: PlainWorld, to part: PlainWorld
    ) -> [ObjectScript.Operation] {
        var operations: [ObjectScript.Operation] = []
        for name in PlainSchema.objectNames {
            for object in world.all(name) {
                let key = key(of: object, world)
                guard let kept = part.objects[name]?[object.key] else {
                    operations.append(.delete(Identity(name, key)))
                    continue
                }
                let hasKey = world.classes[name]?.primaryKey
                var draft: ObjectContent = [:]
                for property in world.classes[name]?.properties ?? []
                where kept[property.name].map(isNothing) ?? false {
                    if case .entries(let entries)? = object.content[property.name] {
                        draft[property.name] = .entries(entries.mapValues { _ in .removed })
                    } else if object.content[property.name] != kept[property.name] {
                        draft[property.name] = kept[property.name]
                    }
                }
                if draft.isEmpty { continue }
                if let hasKey { draft[hasKey] = .value(key) }
                operations.append(
                    .write(name, draft, key: hasKey == nil ? key : nil, .merge))
            }
        }
        return operations
    }

    private static func isNothing(_ content: Content) -> Bool {
        switch content {
        case .value(.null): true
        case .values(let values): values.isEmpty
        case .embeddedList(let list): list.isEmpty
        case .entries(let entries): entries.isEmpty
        default: false
        }
    }
}
