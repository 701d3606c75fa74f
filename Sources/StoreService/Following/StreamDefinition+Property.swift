import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastQuery
import HoldfastRows

extension StreamDefinition {
    /// Checks the definition of a property's stream.
    ///
    /// - `path`: The way into `mixed` values.
    /// - `projectionName`: What shows the objects that the property holds.
    /// - `sight`: What its followers may read; nil for everything.
    /// - Throws: ``RequestFault`` `.notFound` for a property that can't be followed, `.malformed` for a faulty selection
    ///   or projection.
    func checked(
        _ rowClass: RowClass, _ member: Int, _ path: [[UInt8]], shownBy projectionName: String?,
        _ names: SchemaNames, for sight: Sight?
    ) throws(RequestFault) -> CheckedStream {
        let schema = names.schema
        let compiled = rowClass.members[member]
        let storage = compiled.storage
        let definition = rowClass.definition.properties[member]
        if storage.shape == .none { throw .inverseStream(definition) }
        guard path.isEmpty || (storage.element == .mixed && storage.shape != .set) else {
            throw .noInnerElements(definition)
        }
        let projection = try projectionName.map { name throws(RequestFault) in
            try names.projection(named: name, of: rowClass, member)
        }
        var shown = [
            Dependency(classIndex: rowClass.index, member: member, path: [], firstMember: member)
        ]
        let isPage = compiled.classIndex >= 0 && storage.shape != .single
        try checkSelection(of: definition, isPage: isPage, projection)
        var selection =
            projection?.selection(ofMember: member, of: rowClass)
            ?? FieldSelection(only: member, of: rowClass, named: "value")
        var counted: [Dependency] = []
        var targets: ObservedQuery?
        if isPage || projection != nil {
            let element = schema.classes[compiled.classIndex]
            if isPage, let projection {
                selection = try projection.selection(fields: fields)
            } else if isPage {
                selection = try names.selection(fields: fields, expand: expand, of: element)
                try checkStaysInside(selection)
            }
            let paths = (projection?.selection ?? selection).dependencies(names)
            let isLink = storage.element == .link
            let step = PathStep(along: member, of: rowClass)
            shown += paths.map { $0.behind([step], firstMember: member) }
            if isLink, projection == nil {
                counted = names.everything[element.index].dependencies(names)
                    .map { $0.behind([step], firstMember: member) }
            }
            if isLink {
                targets = ObservedQuery(
                    target: .objects(classIndex: element.index), predicate: nil, filterPaths: [],
                    shownPaths: paths, countsEverything: projection == nil, schema: schema,
                    sight: sight)
            }
        }
        let observed = ObservedQuery(
            target: try observedTarget(rowClass), predicate: nil, filterPaths: [],
            shownPaths: shown, countedPaths: counted, countsEverything: false, schema: schema,
            sight: sight)
        return CheckedStream(
            definition: self, names: names, observed: observed, selection: selection,
            projection: projection, compared: nil,
            property: ObservedProperty(
                rowClass, member: member, inner: path, targets: targets,
                reachesOthers: storage.element == .embedded && selection.holdsOtherObjects,
                isSeenInPart: observed.sight != nil),
            for: sight)
    }

    /// Refuses what stands around embedded objects, since nobody is told of it.
    private func checkStaysInside(_ selection: FieldSelection) throws(RequestFault) {
        let rowClass = selection.rowClass
        guard rowClass.definition.kind == .embedded,
            let step = selection.steps.first(where: {
                $0.member >= 0 && rowClass.members[Int($0.member)].originProperty >= 0
            })
        else { return }
        let name = rowClass.definition.properties[Int(step.member)].name
        let isExpanded = (expand ?? "").split(separator: ",").contains {
            rowClass.member(named: String($0.droppingBlanks.prefix { $0 != "." }))
                == Int(step.member)
        }
        throw .parameter(
            (isExpanded ? PathParameter.expand : .fields).rawValue,
            "'\(name)' leads to the object around '\(rowClass.definition.name)', which is not read here; "
                + "ask from that object.")
    }

    /// Refuses `fields` and `expand` where reading the property does.
    private func checkSelection(
        of property: Property, isPage: Bool, _ projection: CompiledProjection?
    ) throws(RequestFault) {
        if let name = fields != nil ? "fields" : expand != nil ? "expand" : nil, !isPage {
            throw .parameter(
                name,
                "'\(property.name)' is no collection of objects; leave '\(name)' out.")
        }
        if expand != nil, projection != nil {
            throw .parameter(
                "expand", "A projection says what is shown; leave 'expand' out.")
        }
    }
}

extension RequestFault {
    /// An inverse link has no elements of its own.
    static func inverseStream(_ property: Property) -> RequestFault {
        RequestFault(
            .notFound, "inverse-link-not-followed",
            "'\(property.name)' shows which objects link here; follow those objects: …/changes of their class with "
                + "a filter on the link.")
    }
}
