import HoldfastObjectModel
import HoldfastTestSupport

/// Random schemas for queries: classes A, B and C, embedded classes E and F, and points P. The names of
/// properties tell what they are.
struct PlainSchema {
    private var random: SeededGenerator
    private var count = 0

    /// The objects that stand alone, in the order of the schema.
    static let objectNames = ["A", "B", "C"]

    /// A random schema.
    ///
    /// - `embedsMaps`: Whether embedded objects may have maps of links.
    static func make(
        _ random: inout SeededGenerator, embedsMaps: Bool = false
    ) -> [ObjectClass] {
        var maker = PlainSchema(random: SeededGenerator(seed: random.next()))
        var classes = maker.make()
        for index in classes.indices where embedsMaps && ["E", "F"].contains(classes[index].name) {
            guard maker.chance(50) else { continue }
            classes[index].properties.append(
                Property(
                    name: "keyed", type: .map(.object(maker.pick(Self.objectNames))),
                    isOptional: true))
        }
        return classes
    }

    private mutating func chance(_ percent: Int) -> Bool {
        Int.random(in: 0..<100, using: &random) < percent
    }

    private mutating func pick<T>(_ values: [T]) -> T {
        values[Int.random(in: values.indices, using: &random)]
    }

    private mutating func make() -> [ObjectClass] {
        var classes: [ObjectClass] = []
        for name in Self.objectNames {
            var made = ObjectClass(name: name, properties: [])
            let keyType: ScalarType? = name == "A" ? .int : pick([nil, .string, .uuid, .objectID])
            if let keyType {
                made.primaryKey = "id"
                made.properties = [Property(name: "id", type: .single(.scalar(keyType)))]
            }
            addScalars(&made, percent: 45)
            for _ in 0..<3 { addCollection(&made) }
            addObjects(&made)
            classes.append(made)
        }
        for name in ["E", "F"] {
            var made = ObjectClass(name: name, kind: .embedded, properties: [])
            addScalars(&made, percent: 30)
            if chance(60) { addCollection(&made) }
            made.properties.append(
                Property(name: "link", type: .single(.object(pick(["A", "B"]))), isOptional: true))
            if name == "E" {
                made.properties.append(
                    Property(name: "inner", type: .single(.object("F")), isOptional: true))
            }
            classes.append(made)
        }
        classes.append(
            ObjectClass(
                name: "P", kind: .embedded,
                properties: [
                    Property(name: "type", type: .single(.scalar(.string))),
                    Property(name: "coordinates", type: .list(.scalar(.double))),
                ]))
        addInverseLinks(&classes)
        return classes
    }

    private mutating func addScalars(_ made: inout ObjectClass, percent: Int) {
        for scalar in ScalarType.allCases where chance(percent) {
            var property = Property(
                name: name(scalar.name), type: .single(.scalar(scalar)),
                isOptional: scalar != .mixed && chance(70))
            if made.kind == .object {
                property.isIndexed = scalar.canBeIndexed && chance(50)
                if scalar == .string, chance(40) { property.searchIndex = .fullText }
                if chance(12) { property.mapTo = name("second") }
            }
            if chance(10), [.int, .string, .double].contains(scalar) {
                property.cases =
                    scalar == .int
                    ? [.int(0), .int(1), .int(.max)]
                    : scalar == .string
                        ? [.string("a"), .string("É")] : [.double(0.5), .double(2)]
            }
            made.properties.append(property)
        }
    }

    private mutating func name(_ stem: String) -> String {
        count += 1
        return "\(stem)\(count)"
    }

    private mutating func addCollection(_ made: inout ObjectClass) {
        let scalar = pick(ScalarType.allCases + [.mixed, .mixed, .int, .string])
        let (stem, type): (String, PropertyType) = pick([
            ("List", .list(.scalar(scalar))), ("Set", .set(.scalar(scalar))),
            ("Map", .map(.scalar(scalar))),
        ])
        made.properties.append(
            Property(
                name: name(scalar.name + stem), type: type,
                isOptional: scalar != .mixed && chance(60)))
    }

    private mutating func addObjects(_ made: inout ObjectClass) {
        func add(_ name: String, _ type: PropertyType, optional: Bool = false) {
            made.properties.append(Property(name: name, type: type, isOptional: optional))
        }
        add("one", .single(.object(pick(Self.objectNames))), optional: true)
        if chance(50) { add("other", .single(.object("A")), optional: true) }
        if chance(80) { add("many", .list(.object(pick(Self.objectNames)))) }
        if chance(50) { add("group", .set(.object(pick(Self.objectNames)))) }
        if chance(50) { add("keyed", .map(.object(pick(Self.objectNames))), optional: true) }
        if chance(60) { add("part", .single(.object("E")), optional: true) }
        if chance(50) { add("parts", .list(.object(pick(["E", "F"])))) }
        if chance(30) { add("keyedParts", .map(.object("F")), optional: true) }
        if made.name == "A" || chance(30) {
            made.properties.append(
                Property(
                    name: "place", type: .single(.object("P")), isOptional: true,
                    searchIndex: chance(60) ? .geo : nil))
            if chance(50) { add("trail", .list(.object("P"))) }
        }
    }

    private mutating func addInverseLinks(_ classes: inout [ObjectClass]) {
        for origin in classes {
            for property in origin.properties where chance(40) {
                guard case .object(let target)? = property.type.element,
                    let index = classes.firstIndex(where: { $0.name == target }),
                    classes[index].kind == .object
                else { continue }
                classes[index].properties.append(
                    Property(
                        name: name("back"),
                        type: .linkingObjects(className: origin.name, property: property.name)))
            }
        }
    }
}
