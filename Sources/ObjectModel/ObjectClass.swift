/// A class of objects: its name, kind and properties in declaration order.
package struct ObjectClass: Equatable, Sendable {
    /// The kinds of classes, by the lifetime of their objects.
    package enum Kind: String, Sendable, CaseIterable {
        /// Independent objects.
        case object
        /// Objects that belong to exactly one other object and are deleted with it.
        case embedded
        /// Independent objects that are only created. They wait in the class's outbox until their consumer has acknowledged them.
        case asymmetric

        /// Whether its objects are independent, not inside others.
        package var standsAlone: Bool { self != .embedded }
    }

    /// The name, unique in the schema.
    @Exact package var name: String
    package var kind: Kind
    /// The name of the primary key property, if there is one.
    @Exact package var primaryKey: String?
    /// The properties in declaration order.
    package var properties: [Property]
    /// Groups of property names. Two objects may not have the same values in all properties of a group, unless one of the values
    /// is null.
    @Exact package var uniqueGroups: [[String]]

    package init(
        name: String, kind: Kind = .object, primaryKey: String? = nil, properties: [Property],
        uniqueGroups: [[String]] = []
    ) {
        self.name = name
        self.kind = kind
        self.primaryKey = primaryKey
        self.properties = properties
        self.uniqueGroups = uniqueGroups
    }

    /// Finds the position of a property by name. Cost: linear; compiled classes have a table.
    package func propertyIndex(named name: String) -> Int? {
        properties.firstIndex { $0.name.isSame(as: name) }
    }
}

/// The properties that describe a point in a class of GeoJSON points.
package struct PointMembers: Hashable, Sendable {
    /// The position of `type`, a string: `"Point"` in any case.
    package var type: Int
    /// The position of `coordinates`, a list of doubles: longitude, latitude, and optionally an altitude.
    package var coordinates: Int
}

extension ObjectClass {
    /// The properties of a point, if the class is embedded and has a string `type` and a list of doubles `coordinates`, by own or
    /// mapped names; otherwise nil.
    package var pointMembers: PointMembers? {
        guard kind == .embedded, let type = position(of: "type"),
            let coordinates = position(of: "coordinates"),
            properties[type].type == .single(.scalar(.string)),
            properties[coordinates].type == .list(.scalar(.double)),
            !properties[coordinates].isOptional
        else { return nil }
        return PointMembers(type: type, coordinates: coordinates)
    }

    private func position(of name: String) -> Int? {
        propertyIndex(named: name) ?? properties.firstIndex { $0.mapTo == name }
    }
}
