import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastQuery
import HoldfastRows
import HoldfastTestSupport

/// What somebody may read, as plain conditions: for each class the roles, each with its rule, nil for all objects, and the
/// properties that it hides.
struct PlainVisibility {
    struct Role {
        var rule: PlainPredicate?
        var hidden: Set<String> = []
    }

    private(set) var classes: [String: [Role]] = [:]

    /// Takes rules.
    init(_ classes: [String: [Role]]) { self.classes = classes }

    /// Makes random rules that the language takes.
    ///
    /// - `hidesRequired`: Whether properties are hidden that can't be null.
    init(
        _ world: PlainWorld, _ transaction: StoreView, _ random: inout SeededGenerator,
        hidesRequired: Bool = true
    ) {
        var maker = PlainQueryMaker(world, seed: random.next())
        for name in PlainSchema.objectNames where maker.chance(70) {
            var roles: [Role] = []
            for _ in 0..<maker.pick([1, 1, 1, 2, 3]) {
                var role = Role()
                if maker.chance(75) {
                    role.rule = maker.predicate(name, maker.pick([0, 0, 1]))
                    // Rules that are refused have nothing to compare.
                    if Self.compile(role.rule, name, transaction) == nil { role.rule = nil }
                }
                if maker.chance(50), let definition = world.classes[name] {
                    for property in definition.properties
                    where property.name != definition.primaryKey && maker.chance(30) {
                        if case .linkingObjects = property.type { continue }
                        let isRequired =
                            !property.isOptional && !property.type.isCollection
                            && property.scalar != .mixed
                        if isRequired, !hidesRequired { continue }
                        role.hidden.insert(property.name)
                    }
                }
                roles.append(role)
            }
            classes[name] = roles
        }
    }

    static func compile(
        _ rule: PlainPredicate?, _ name: String, _ transaction: StoreView
    ) -> Predicate? {
        guard let rule, let rowClass = transaction.rows.rowClass(named: name) else { return nil }
        var printer = PlainPrinter()
        let text = printer.text(PlainQuery(className: name, predicate: rule))
        return try? CompiledQuery.compile(
            text: text, arguments: printer.arguments, rootClass: rowClass.index,
            schema: transaction.rows
        ).predicate
    }

    /// The sight of a view of the store.
    func visibility(in transaction: StoreView) -> Visibility {
        let rows = transaction.rows
        var made: [Int: ClassVisibility] = [:]
        for (name, roles) in classes {
            guard let rowClass = rows.rowClass(named: name) else { continue }
            let compiled = roles.map { role in
                var hidden = MemberSet()
                for property in role.hidden {
                    if let member = rowClass.names.position(of: property) { hidden.insert(member) }
                }
                return ClassVisibility.Role(
                    rule: Self.compile(role.rule, name, transaction), hidden: hidden)
            }
            made[rowClass.index] = ClassVisibility(roles: compiled)
        }
        return Visibility(made, schema: rows)
    }

    /// The rules in words, for messages.
    var text: String {
        classes.sorted { $0.key < $1.key }.map { name, roles in
            name + ": "
                + roles.map { role in
                    var printer = PlainPrinter()
                    let rule = role.rule.map {
                        printer.text(PlainQuery(className: name, predicate: $0))
                    }
                    return "\(rule ?? "all") \(printer.arguments.map(\.value.brief))"
                        + (role.hidden.isEmpty ? "" : " without \(role.hidden.sorted())")
                }.joined(separator: " | ")
        }.joined(separator: "\n  ")
    }

    // MARK: The copy

    /// The objects that may be read, each with the properties that are hidden on it.
    func hidden(in world: PlainWorld) -> [String: [UInt64: Set<String>]] {
        var hidden: [String: [UInt64: Set<String>]] = [:]
        for name in world.names {
            var seen: [UInt64: Set<String>] = [:]
            for object in world.all(name) {
                guard let roles = classes[name] else {
                    seen[object.key] = []
                    continue
                }
                let admitting = roles.filter { role in
                    role.rule.map { world.holds($0, for: object) } ?? true
                }
                guard let first = admitting.first else { continue }
                seen[object.key] = admitting.reduce(first.hidden) { $0.intersection($1.hidden) }
            }
            hidden[name] = seen
        }
        return hidden
    }

    /// The world in which what may not be read is absent.
    func part(of world: PlainWorld) -> PlainWorld {
        let hidden = hidden(in: world)
        func sees(_ link: Value) -> Bool {
            guard case .link(let name, .int(let number)) = link else { return true }
            return hidden[name]?[UInt64(bitPattern: number)] != nil
        }
        var objects: [String: [UInt64: ObjectContent]] = [:]
        for name in world.names where world.objects[name] != nil {
            var kept: [UInt64: ObjectContent] = [:]
            for object in world.all(name) {
                guard let without = hidden[name]?[object.key] else { continue }
                kept[object.key] = Self.copy(
                    object.content, without: without, of: name, world, sees)
            }
            objects[name] = kept
        }
        return world.with(objects)
    }

    private static func copy(
        _ content: ObjectContent, without hidden: Set<String>, of className: String,
        _ world: PlainWorld, _ sees: (Value) -> Bool
    ) -> ObjectContent {
        var copy = content.mapValues { Self.copy($0, sees) }
        for property in world.classes[className]?.properties ?? []
        where hidden.contains(property.name) {
            let nothing: Content =
                switch property.type {
                case .single, .linkingObjects: .null
                case .map: .entries([:])
                case .list(.object(let name)) where world.classes[name]?.kind == .embedded:
                    .embeddedList([])
                case .list, .set: .values([])
                }
            for name in [property.name, property.mapTo].compactMap({ $0 }) { copy[name] = nothing }
        }
        return copy
    }

    private static func copy(_ content: Content, _ sees: (Value) -> Bool) -> Content {
        switch content {
        case .value(let value): .value(copy(value, sees))
        case .values(let values): .values(values.filter(sees).map { copy($0, sees) })
        case .embedded(let inner): .embedded(inner.mapValues { copy($0, sees) })
        case .embeddedList(let list):
            .embeddedList(list.map { $0.mapValues { copy($0, sees) } })
        case .entries(let entries): .entries(entries.mapValues { copy($0, sees) })
        case .removed, .nested, .nestedList, .generated: content
        }
    }

    private static func copy(_ value: Value, _ sees: (Value) -> Bool) -> Value {
        switch value {
        case .link: sees(value) ? value : .null
        case .list(let values): .list(values.filter(sees).map { copy($0, sees) })
        case .map(let entries):
            .map(entries.map { Value.MapEntry($0.key, copy($0.value, sees)) })
        default: value
        }
    }
}
