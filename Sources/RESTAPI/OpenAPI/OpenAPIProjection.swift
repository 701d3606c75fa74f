import HoldfastObjectJSON
import HoldfastObjectModel

/// A projection with the names that the document gives to what belongs to it.
struct OpenAPIProjection {
    /// One property and what its path leads to.
    struct Property {
        let definition: Projection.Property
        let value: ProjectedValue

        /// Whether a patch may state it.
        var isWritable: Bool {
            if value.isMapped || value.isCalculated || !value.property.isStored { return false }
            return definition.projection == nil || !value.property.type.isCollection
        }
    }

    /// The projection.
    let definition: Projection
    /// Its properties, in the order of the definition.
    let properties: [Property]
    /// Its operations and schemas, named as those of a class: one with the projection's name and the keys of
    /// the class that it shows.
    let entry: OpenAPIClass

    /// Names what belongs to a projection.
    ///
    /// - `base`: The class that it shows.
    /// - `classes`: Those of the schema by name.
    /// - `object`: The name of its own schema.
    /// - `clientName`: See ``OpenAPIClass/clientName``.
    init(
        _ definition: Projection, of base: ObjectClass, in classes: [ExactText: ObjectClass],
        _ object: String, clientName: String?, _ names: inout OpenAPINames,
        _ nouns: inout OpenAPINames
    ) {
        self.definition = definition
        properties = definition.properties.compactMap { property in
            let value = try? ProjectedValue(property.path, from: base.name, in: classes)
            return value.map { Property(definition: property, value: $0) }
        }
        var shown = base
        shown.name = definition.name
        let patch = names.unique(object + "Patch")
        entry = OpenAPIClass(
            definition: shown, object: object, clientName: clientName, input: patch, patch: patch,
            new: patch,
            page: names.unique(object + "Page"),
            sectionPage: names.unique(object + "SectionPage"), written: object,
            changePage: names.unique(object + "ChangePage"),
            snapshotPage: names.unique(object + "SnapshotPage"),
            noun: nouns.unique(OpenAPINames.capitalised(object)),
            path: "/v1/projections/" + ObjectPath.segment(definition.name))
    }

    /// Whether replies name `$id` as a property; see ``OpenAPIClass/declaresID``.
    var declaresID: Bool {
        entry.definition.kind == .object && entry.primaryKey == nil
            && !properties.contains { OpenAPINames.folded($0.definition.name) == "id" }
    }
}
