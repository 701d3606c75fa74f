import HoldfastObjectModel
import HoldfastTestSupport

/// Makes random schemas, and additions to them that a store performs.
package struct RandomSchema {
    private var nameCount = 0
    /// Whether classes have what few have, too: enums, all integers, rules for uniqueness and deletion,
    /// keys that the store numbers, outboxes.
    let isFull: Bool
    /// What links of embedded objects say of deletion, if anything. It is the same in a whole schema:
    /// with several, what becomes of two targets depends on which one is deleted first.
    private(set) var embeddedRule = OnDelete.nullify

    /// Makes a source of schemas.
    ///
    /// - `isFull`: Whether classes have enums, all types of integers, rules for uniqueness and deletion,
    ///   keys that the store numbers, and outboxes.
    package init(isFull: Bool = false) { self.isFull = isFull }

    /// A schema of some classes with every kind of property.
    package mutating func make(_ random: inout SeededGenerator) -> [ObjectClass] {
        var classes: [ObjectClass] = []
        for _ in 0..<Int.random(in: 2...4, using: &random) {
            classes.append(makeClass(.object, &random))
        }
        for _ in 0..<Int.random(in: 1...2, using: &random) {
            classes.append(makeClass(.embedded, &random))
        }
        if isFull {
            if Bool.random(using: &random) { classes.append(makePointClass()) }
            embeddedRule = OnDelete.allCases.randomElement(using: &random) ?? .nullify
            if Bool.random(using: &random) { classes.append(makeClass(.asymmetric, &random)) }
        }
        for index in classes.indices where classes[index].pointMembers == nil {
            for _ in 0..<Int.random(in: 2...7, using: &random) {
                classes[index].properties.append(makeProperty(classes, index, &random))
            }
            addUniqueGroup(&classes[index], classes, &random)
        }
        addInverseLinks(&classes, &random)
        return classes
    }

    /// Changes a schema in a way that a store performs.
    package mutating func extend(_ classes: inout [ObjectClass], _ random: inout SeededGenerator) {
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let index = Int.random(in: classes.indices, using: &random)
            switch Int.random(in: ScalarType.allCases.indices, using: &random) {
            case 0 where classes.count < 9:
                classes.append(
                    makeClass(Bool.random(using: &random) ? .object : .embedded, &random))
                classes[classes.count - 1].properties.append(
                    makeProperty(classes, classes.count - 1, &random))
            case 1, 2:
                toggleIndex(&classes[index], &random)
            case 3:
                addInverseLinks(&classes, &random)
            case 4:
                classes[index].properties.shuffle(using: &random)
            case 5:
                classes.shuffle(using: &random)
            default:
                var property = makeProperty(classes, index, &random)
                if classes[index].kind == .embedded,
                    property.defaultValue == .uuid || property.defaultValue == .objectID
                {
                    property.defaultValue = nil
                }
                let place = Int.random(in: 0...classes[index].properties.count, using: &random)
                classes[index].properties.insert(property, at: place)
            }
        }
    }

    mutating func name(_ prefix: String) -> String {
        nameCount += 1
        return "\(prefix)\(nameCount)"
    }

    mutating func makeClass(
        _ kind: ObjectClass.Kind, _ random: inout SeededGenerator
    ) -> ObjectClass {
        let prefixes: [ObjectClass.Kind: String] = [.object: "C", .embedded: "E", .asymmetric: "A"]
        var made = ObjectClass(name: name(prefixes[kind] ?? ""), kind: kind, properties: [])
        guard kind.standsAlone, Int.random(in: 0..<4, using: &random) > 0 else { return made }
        let scalars: [ScalarType] = [.int, .string, .objectID, .uuid]
        let scalar = scalars[Int.random(in: 0..<4, using: &random)]
        made.primaryKey = name("id")
        made.properties = [
            Property(
                name: made.primaryKey ?? "", type: .single(.scalar(scalar)),
                isOptional: Bool.random(using: &random),
                isIndexed: Bool.random(using: &random) && kind == .object)
        ]
        if isFull, scalar == .int, Bool.random(using: &random) {
            made.properties[0].isOptional = false
            made.properties[0].defaultValue = .next
        }
        return made
    }

    /// A class of points, which properties that hold one may have an index of.
    private mutating func makePointClass() -> ObjectClass {
        ObjectClass(
            name: name("E"), kind: .embedded,
            properties: [
                Property(name: "type", type: .single(.scalar(.string))),
                Property(name: "coordinates", type: .list(.scalar(.double))),
            ])
    }

    mutating func makeProperty(
        _ classes: [ObjectClass], _ index: Int, _ random: inout SeededGenerator
    ) -> Property {
        let targets = classes.filter { $0.kind != .asymmetric }
        guard !targets.isEmpty else {
            return Property(name: name("p"), type: .single(.scalar(.int)), isOptional: true)
        }
        let target = targets[Int.random(in: targets.indices, using: &random)]
        var property = makeProperty(target, classes[index], &random)
        addRules(&property, classes[index], target, &random)
        return property
    }

    private mutating func makeProperty(
        _ target: ObjectClass, _ objectClass: ObjectClass, _ random: inout SeededGenerator
    ) -> Property {
        let isMixed = Int.random(in: 0..<6, using: &random) == 0
        let plainCount = isFull ? ScalarType.plainCases.count : 8
        let scalar =
            isMixed ? .mixed : ScalarType.allCases[Int.random(in: 0..<plainCount, using: &random)]
        let isOptional = !isMixed && Bool.random(using: &random)
        switch Int.random(in: 0..<12, using: &random) {
        case 0...4:
            var property = Property(
                name: name("p"), type: .single(.scalar(scalar)), isOptional: isOptional)
            property.isIndexed =
                scalar.canBeIndexed && objectClass.kind == .object && Bool.random(using: &random)
            if scalar == .string, objectClass.kind == .object, Bool.random(using: &random) {
                property.searchIndex = .fullText
            }
            property.defaultValue = makeDefault(scalar, &random)
            return property
        case 5:
            return Property(name: name("l"), type: .list(.scalar(scalar)), isOptional: isOptional)
        case 6:
            return Property(name: name("s"), type: .set(.scalar(scalar)), isOptional: isOptional)
        case 7:
            return Property(name: name("d"), type: .map(.scalar(scalar)), isOptional: isOptional)
        case 8:
            return Property(name: name("n"), type: .map(.object(target.name)), isOptional: true)
        case 9, 10:
            var property = Property(
                name: name("o"), type: .single(.object(target.name)), isOptional: true)
            if target.pointMembers != nil, objectClass.kind == .object,
                Int.random(in: 0..<3, using: &random) > 0
            {
                property.searchIndex = .geo
            }
            return property
        default:
            let isSet = target.kind == .object && Bool.random(using: &random)
            let element = ElementType.object(target.name)
            return Property(name: name("m"), type: isSet ? .set(element) : .list(element))
        }
    }

    private func makeDefault(
        _ scalar: ScalarType, _ random: inout SeededGenerator
    ) -> DefaultValue? {
        switch (Int.random(in: 0..<4, using: &random), scalar) {
        case (0, _): return .constant(RandomContent.scalar(scalar, &random))
        case (1, .uuid): return .uuid
        case (1, .objectID): return .objectID
        case (1, .date): return .now
        default: return nil
        }
    }

    private func toggleIndex(_ objectClass: inout ObjectClass, _ random: inout SeededGenerator) {
        guard objectClass.kind == .object, !objectClass.properties.isEmpty else { return }
        let member = Int.random(in: objectClass.properties.indices, using: &random)
        guard case .single(.scalar(let scalar)) = objectClass.properties[member].type,
            scalar.canBeIndexed
        else { return }
        objectClass.properties[member].isIndexed.toggle()
    }

    /// Adds an inverse link where a property links to an object class.
    private mutating func addInverseLinks(
        _ classes: inout [ObjectClass], _ random: inout SeededGenerator
    ) {
        for origin in classes where origin.kind != .asymmetric {
            for property in origin.properties where Int.random(in: 0..<4, using: &random) == 0 {
                guard case .object(let target)? = property.type.element,
                    let index = classes.firstIndex(where: { $0.name == target }),
                    classes[index].kind == .object
                else { continue }
                classes[index].properties.append(
                    Property(
                        name: name("b"),
                        type: .linkingObjects(className: origin.name, property: property.name)))
            }
        }
    }
}
