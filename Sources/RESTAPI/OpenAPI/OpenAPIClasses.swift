import HoldfastObjectModel

/// The classes of a schema with their names in the document.
struct OpenAPIClasses {
    /// In the order of the schema.
    let all: [OpenAPIClass]
    /// The projections, in the order in which they were made.
    let projections: [OpenAPIProjection]
    private let positions: [ExactText: Int]
    private let schema: Schema

    /// Names everything that belongs to the classes. A class keeps its own name wherever it can; what
    /// is derived from it gives way, and so does it to `reserved`, the schemas that belong to no class.
    init(_ schema: Schema, projections definitions: [Projection] = [], reserved: [String]) {
        var names = OpenAPINames()
        for name in reserved { _ = names.unique(name) }
        var nouns = OpenAPINames()
        let objects = schema.classes.map { names.unique(OpenAPINames.identifier($0.name)) }
        let shown = definitions.map { names.unique(OpenAPINames.identifier($0.name)) }
        var clientNames: [String: String] = [:]
        for object in objects + shown where OpenAPINames.isGenerators(object) {
            clientNames[object] = names.unique(object)
        }
        var all: [OpenAPIClass] = []
        var positions: [ExactText: Int] = [:]
        for (definition, object) in zip(schema.classes, objects) {
            let patch = names.unique(object + "Patch")
            let input = names.unique(object + "Input")
            var new = definition.kind == .asymmetric ? input : patch
            if OpenAPIClass.mustStateKey(definition) { new = names.unique(object + "New") }
            positions[definition.name] = all.count
            all.append(
                OpenAPIClass(
                    definition: definition, object: object, clientName: clientNames[object],
                    input: input,
                    patch: patch, new: new, page: names.unique(object + "Page"),
                    sectionPage: names.unique(object + "SectionPage"),
                    written: names.unique(object + "Written"),
                    changePage: names.unique(object + "ChangePage"),
                    snapshotPage: names.unique(object + "SnapshotPage"),
                    noun: nouns.unique(OpenAPINames.capitalised(object)),
                    path: "/v1/classes/" + ObjectPath.segment(definition.name)))
        }
        self.all = all
        self.schema = schema
        self.positions = positions
        var classes: [ExactText: ObjectClass] = [:]
        if !definitions.isEmpty {
            for definition in schema.classes { classes[definition.name] = definition }
        }
        var projections: [OpenAPIProjection] = []
        for (definition, object) in zip(definitions, shown) {
            guard let position = positions[definition.className] else { continue }
            let projection = OpenAPIProjection(
                definition, of: all[position].definition, in: classes, object,
                clientName: clientNames[object], &names, &nouns)
            projections.append(projection)
        }
        self.projections = projections
    }

    /// The projection of a name.
    func projection(_ name: String) -> OpenAPIProjection? {
        projections.first { $0.definition.name.isSame(as: name) }
    }

    /// The classes whose objects hold embedded ones of a class, see ``Schema/owners(of:)``.
    func owners(of embedded: String) -> [OpenAPIClass] {
        schema.owners(of: embedded).compactMap { self[$0.name] }
    }

    /// The class of a name in the schema.
    subscript(_ name: String) -> OpenAPIClass? { positions[name].map { all[$0] } }
}
