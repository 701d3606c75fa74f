/// A class of objects: its name, kind and properties in declaration order.
package struct ObjectClass: Equatable, Sendable {
    /// The kinds of classes, by the life of their objects.
    package enum Kind: String, Sendable, CaseIterable {
        /// Objects of their own.
        case object
        /// Objects that belong to exactly one other object and go with it.
        case embedded
        /// Objects of their own that are only created: they wait in the class's outbox until their consumer
        /// has acknowledged them.
        case asymmetric

        /// Whether its objects stand alone and not inside others.
        package var standsAlone: Bool { self != .embedded }
    }

    /// Its name, unique in the schema.
    @Exact package var name: String
    /// The kind of class.
    package var kind: Kind
    /// The name of the primary key property, if there is one.
    @Exact package var primaryKey: String?
    /// Its properties in declaration order.
    package var properties: [Property]
    /// Groups of properties, by name, whose values together no two objects share; an object with a null
    /// among them shares with none.
    @Exact package var uniqueGroups: [[String]]

    /// Makes a class.
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

/// The properties that make a point in a class of points in GeoJSON's form.
package struct PointMembers: Hashable, Sendable {
    /// The position of `type`, a string: `"Point"` in any case.
    package var type: Int
    /// The position of `coordinates`, a list of doubles: longitude, latitude, and perhaps an altitude.
    package var coordinates: Int
}

extension ObjectClass {
    /// The properties of a point in objects of the class: an embedded one with a string `type` and a list of
    /// doubles `coordinates`, by their own names or by those that they are mapped to; nil for another.
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
