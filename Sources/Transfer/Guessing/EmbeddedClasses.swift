import HoldfastObjectJSON
import HoldfastObjectModel

/// The embedded classes of a proposal, in the order in which they are put: inner classes first.
struct EmbeddedClasses {
    /// The classes that the store lacks.
    private(set) var classes: [ObjectClass] = []
    /// The reasons for their properties.
    private(set) var reasons: [ClassProposal.Reason] = []
    private let present: Schema
    private var taken: Set<ExactText>
    /// The number from which a free one is searched, for each name that was taken.
    private var nextNumbers: [ExactText: Int] = [:]
    /// The class of points, once there is one.
    private var pointName: String?

    /// Makes none so far, for a class that is guessed beside the classes of a store.
    init(_ className: String, in schema: Schema) {
        present = schema
        taken = Set(texts: schema.classes.map(\.name))
        taken.insert(className)
    }

    /// Adds a class, and returns its name.
    ///
    /// - `owner`: The class with the property; its names make that of the class.
    /// - Throws: ``RequestFault`` for more classes than a schema has.
    mutating func add(
        _ properties: [GuessedProperty], of owner: String, _ property: String
    ) throws(RequestFault) -> String {
        guard classes.count < ModelLimits.classCountMax else {
            throw RequestFault(
                .invalid, "no-class",
                "The objects within the objects of the sample need more classes than a schema has, which are at most "
                    + "\(GuessWords.number(ModelLimits.classCountMax)). Leave out the members that hold them (skip)."
            )
        }
        let name = free(Self.name(owner, property))
        classes.append(
            ObjectClass(name: name, kind: .embedded, properties: properties.map(\.property)))
        reasons += properties.map {
            ClassProposal.Reason(
                className: name, property: $0.name,
                name: $0.sourceName.isSame(as: $0.name) ? nil : $0.sourceName, text: $0.reason)
        }
        return name
    }

    /// The name of the class of a property's objects, if it is free.
    static func name(_ owner: String, _ property: String) -> String {
        "\(owner)\(property.prefix(1).uppercased())\(property.dropFirst())"
    }

    /// Returns the class of points, which the store has, or which is added.
    mutating func point() -> String {
        if let pointName { return pointName }
        let name: String
        if let known = present.classes.first(where: Self.isPoint) {
            name = known.name
        } else {
            name = free("Point")
            classes.append(Self.pointClass(named: name))
            reasons += ["type", "coordinates"].map {
                ClassProposal.Reason(
                    className: name, property: $0, name: nil, text: "Each point of GeoJSON has it.")
            }
        }
        pointName = name
        return name
    }

    /// Whether a property has single points.
    func isPoint(_ type: PropertyType) -> Bool {
        if case .single(.object(let name)) = type { name == pointName } else { false }
    }

    private static func pointClass(named name: String) -> ObjectClass {
        ObjectClass(
            name: name, kind: .embedded,
            properties: [
                Property(
                    name: "type", type: .single(.scalar(.string)),
                    defaultValue: .constant(.string("Point"))),
                Property(name: "coordinates", type: .list(.scalar(.double))),
            ])
    }

    /// Whether a class has the members of a point, and needs no others.
    private static func isPoint(_ objectClass: ObjectClass) -> Bool {
        guard let members = objectClass.pointMembers else { return false }
        let others = objectClass.properties.enumerated().filter {
            $0.offset != members.type && $0.offset != members.coordinates
        }
        return objectClass.properties[members.type].name == "type"
            && objectClass.properties[members.coordinates].name == "coordinates"
            && others.allSatisfy { !$0.element.isRequired }
    }

    /// Returns a free and valid name of a class, and takes it.
    private mutating func free(_ text: String) -> String {
        let base = PropertyNames.valid(text, byteCountMax: ModelLimits.classNameByteCountMax - 5)
        var name = base
        var number = nextNumbers[base] ?? 2
        while !taken.insert(name) {
            name = "\(base)\(number)"
            number += 1
        }
        nextNumbers[base] = number
        return name
    }
}
