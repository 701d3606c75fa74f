import HoldfastObjectModel

extension Schema {
    /// Returns the schema with one class added, or in the place of the one that has its name or had it before.
    package func replacing(_ objectClass: ObjectClass, _ renames: SchemaRenames) -> Schema {
        var schema = self
        let before = renames.oldName(ofClass: objectClass.name)
        if let position = schema.classes.firstIndex(where: { $0.name.isSame(as: before) }) {
            schema.classes[position] = objectClass
        } else {
            schema.classes.append(objectClass)
        }
        guard before != objectClass.name || !renames.entries.isEmpty else { return schema }
        for index in schema.classes.indices
        where !schema.classes[index].name.isSame(as: objectClass.name) {
            for member in schema.classes[index].properties.indices {
                let type = schema.classes[index].properties[member].type
                schema.classes[index].properties[member].type = type.renamed(renames)
            }
        }
        return schema
    }

    /// Returns the schema without a class.
    package func dropping(_ name: String) -> Schema {
        var schema = self
        schema.classes.removeAll { $0.name.isSame(as: name) }
        return schema
    }

    /// Finds the properties of other classes that name a class, as faults of its removal.
    package func users(ofClass name: String) -> [SchemaFault] {
        var users: [SchemaFault] = []
        for objectClass in classes where !objectClass.name.isSame(as: name) {
            for property in objectClass.properties where property.type.className.isSame(as: name) {
                users.append(
                    SchemaFault(
                        className: objectClass.name, property: property.name,
                        detail: "'\(objectClass.name).\(property.name)' names the class '\(name)'.")
                )
            }
        }
        return users
    }
}

extension PropertyType {
    /// Returns the type with the new names of classes and properties.
    func renamed(_ renames: SchemaRenames) -> PropertyType {
        func renamed(_ element: ElementType) -> ElementType {
            guard case .object(let name) = element else { return element }
            return .object(renames.newName(ofClass: name))
        }
        switch self {
        case .single(let element): return .single(renamed(element))
        case .list(let element): return .list(renamed(element))
        case .set(let element): return .set(renamed(element))
        case .map(let element): return .map(renamed(element))
        case .linkingObjects(let className, let property):
            return .linkingObjects(
                className: renames.newName(ofClass: className),
                property: renames.newName(ofProperty: property, inOld: className))
        }
    }
}
