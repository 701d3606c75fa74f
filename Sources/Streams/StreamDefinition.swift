import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastQuery
import HoldfastRows
import HoldfastStoreService

/// The definition of a change stream, as the client stated it. It can be checked again after a schema change.
package final class StreamDefinition: Sendable {
    /// The subject that is followed.
    package enum Target: Sendable {
        case store
        case objects(className: String)
        case object(className: String, key: Value)
        /// The objects that a projection shows, or the one with a key, in the projection's names.
        case projection(name: String, key: Value?)
        /// The objects of an asymmetric class, in the order in which they came.
        case outbox(className: String)
        /// A property of an object, or the value at a path from there into `mixed` values. A projection may show the linked
        /// objects.
        indirect case property(
            className: String, key: Value, name: String, path: [[UInt8]], projection: String?)
    }

    let target: Target
    let filter: String?
    let arguments: [QueryArgument]
    let fields: String?
    let expand: String?
    let eventOptions: EventOptions
    package let quotesLargeInts: Bool
    /// Whether checking it takes too long for a connection's thread.
    package let isLong: Bool
    /// The form of the result that is followed as a whole; nil for the changes of its objects.
    let result: ResultForm?
    /// The time for which changes are folded into one event, in milliseconds.
    package let intervalMilliseconds: Int
    /// The permitted intervals, in milliseconds.
    package static let intervals = 10...10_000
    /// The message about any other interval.
    package static let intervalRule =
        "'interval' is a number of milliseconds from \(intervals.lowerBound) to \(intervals.upperBound)."

    /// The projection or property through which the objects are shown, apart from a selection; nil if the objects themselves are
    /// shown.
    var shown: Target? {
        switch target {
        case .store, .objects, .object: nil
        case .projection(let name, _): .projection(name: name, key: nil)
        case .property, .outbox: target
        }
    }

    /// Makes a definition from the parts of a query that streams have.
    ///
    /// - `result`: The form of the result that is followed as a whole; nil for the changes of its objects.
    package init(
        of target: Target, _ text: QueryText, _ eventOptions: EventOptions, quotesLargeInts: Bool,
        result: ResultForm? = nil, intervalMilliseconds: Int = 0
    ) {
        self.target = target
        self.eventOptions = eventOptions
        isLong = text.isLong
        filter = text.filter
        arguments = text.arguments
        fields = text.fields
        expand = text.expand
        self.quotesLargeInts = quotesLargeInts
        self.result = result
        self.intervalMilliseconds = intervalMilliseconds
    }

    /// Checks the definition against a schema.
    ///
    /// - `visibility`: The visibility of its followers, of that schema; nil if they may read everything.
    /// - Throws: ``RequestFault`` `.notFound` for an unknown class, `.malformed` for a faulty filter or selection.
    package func checked(
        _ names: SchemaNames, _ limits: ServiceLimits, for visibility: Visibility? = nil
    ) throws(RequestFault) -> CheckedStream {
        let schema = names.schema
        let rowClass: RowClass
        var projection: CompiledProjection?
        if eventOptions.tellsOld, result != nil || intervalMilliseconds > 0 {
            throw .parameter(
                "old",
                "A live list and an 'interval' do not report old values; leave 'old' out, and compare with the "
                    + "earlier events.")
        }
        func everything(of target: ObservedQuery.Target) -> CheckedStream {
            CheckedStream(
                definition: self, names: names,
                observed: ObservedQuery(
                    target: target, predicate: nil, filterPaths: [], schema: schema,
                    visibility: visibility),
                selection: nil, projection: nil, compared: nil, for: visibility)
        }
        switch target {
        case .store: return everything(of: .store)
        case .outbox(let name):
            let index = try schema.asymmetricClass(named: name).index
            return everything(of: .objects(classIndex: index))
        case .property(let className, _, let name, let path, let projection):
            let rowClass = try names.objectClass(named: className)
            guard let member = rowClass.member(named: name) else {
                throw .unknownProperty(name, rowClass)
            }
            return try checked(rowClass, member, path, shownBy: projection, names, for: visibility)
        case .objects(let name), .object(let name, _):
            guard let named = schema.rowClass(named: name) else {
                throw .unknownClass(name, schema)
            }
            rowClass = named
        case .projection(let name, _):
            let named = try names.projection(named: name)
            projection = named
            rowClass = named.rowClass
        }
        var text = QueryText()
        text.isInBody = eventOptions.query != nil
        text.filter = filter
        text.arguments = arguments
        var filterPaths: [Dependency] = []
        var predicate: Predicate?
        if let compiled = try text.compiledFilter(
            .objects(classIndex: rowClass.index), schema, projection, hasTime: false)
        {
            if !compiled.suffixes.isEmpty {
                throw text.fault(
                    "filter",
                    "A stream has no order and no end; leave SORT, DISTINCT and LIMIT out.",
                    code: "invalid-query")
            }
            predicate = compiled.predicate.orNilIfTrue
            filterPaths = compiled.predicate.dependencies(
                schema, within: RequestScratch.current.budget)
        }
        let selection = try names.selection(
            fields: fields, expand: expand, of: rowClass, shownBy: projection)
        let compared = try eventOptions.compared(of: rowClass, projection, names)
        let readPaths = selection.dependencies(names)
        // With key paths, only their changes count. Without them, the objects' own properties count anyway.
        var shownPaths = compared?.dependencies(names) ?? readPaths.filter { !$0.path.isEmpty }
        (text.fields, text.expand) = (fields, expand)
        let followed = try result?.checked(
            text,
            of: projection.map { .projection($0.definition.name) }
                ?? .ofClass(rowClass.definition.name), names, limits)
        if let followed {
            shownPaths = (followed.showsObjects ? shownPaths : []) + followed.dependencies(schema)
        }
        // Preparing the query for following takes about as long as the work before it, and is not divided.
        let budget = RequestScratch.current.budget
        guard budget.checkLimits() else { throw .givenUp(budget.failure ?? .time, limits) }
        return CheckedStream(
            definition: self, names: names,
            observed: ObservedQuery(
                target: try observedTarget(rowClass), predicate: predicate,
                filterPaths: filterPaths, shownPaths: shownPaths, readPaths: readPaths,
                countsEverything: compared == nil && followed?.showsObjects ?? true, schema: schema,
                visibility: visibility), selection: selection, projection: projection,
            compared: compared, result: followed, for: visibility)
    }

    /// Checks the definition against the present schema, with the caller's present visibility.
    ///
    /// - Throws: ``RequestFault`` as ``checked(_:_:for:)``.
    package func checked(
        _ served: ServedStore, for caller: Caller
    ) throws(RequestFault) -> CheckedStream {
        let visibility = try served.visibility(of: caller)
        return try checked(served.names(of: visibility), served.limits, for: visibility)
    }

    func observedTarget(_ rowClass: RowClass) throws(RequestFault) -> ObservedQuery.Target {
        let key: Value
        switch target {
        case .object(_, let named), .projection(_, let named?), .property(_, let named, _, _, _):
            key = named
        case .store, .objects, .projection, .outbox: return .objects(classIndex: rowClass.index)
        }
        guard let member = rowClass.primaryKeyIndex else {
            guard case .int(let number) = key else { throw KeyText.wrongType(rowClass) }
            return .object(classIndex: rowClass.index, key: UInt64(bitPattern: number))
        }
        // The key's type may have changed since the stream began.
        let isOfType =
            switch (key, rowClass.members[member].storage.element) {
            case (.null, _), (.int, .int), (.string, .string), (.objectID, .objectID),
                (.uuid, .uuid):
                true
            default: false
            }
        guard isOfType, let ordered = OrderedKey(key) else { throw KeyText.wrongType(rowClass) }
        return .keyed(classIndex: rowClass.index, primaryKey: ordered)
    }
}

extension StreamDefinition {
    /// Checks the definition of a property's stream.
    ///
    /// - `path`: The path into `mixed` values.
    /// - `projectionName`: The projection that shows the linked objects.
    /// - `visibility`: The visibility of its followers; nil if they may read everything.
    /// - Throws: ``RequestFault`` `.notFound` for a property that can't be followed, `.malformed` for a faulty selection
    ///   or projection.
    func checked(
        _ rowClass: RowClass, _ member: Int, _ path: [[UInt8]], shownBy projectionName: String?,
        _ names: SchemaNames, for visibility: Visibility?
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
                    visibility: visibility)
            }
        }
        let observed = ObservedQuery(
            target: try observedTarget(rowClass), predicate: nil, filterPaths: [],
            shownPaths: shown, countedPaths: counted, countsEverything: false, schema: schema,
            visibility: visibility)
        return CheckedStream(
            definition: self, names: names, observed: observed, selection: selection,
            projection: projection, compared: nil,
            property: ObservedProperty(
                rowClass, member: member, inner: path, targets: targets,
                reachesOthers: storage.element == .embedded && selection.holdsOtherObjects,
                isSeenInPart: observed.visibility != nil), for: visibility)
    }

    /// Refuses paths to the objects around embedded objects, because their changes are not reported.
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

    /// Refuses `fields` and `expand` if reading the property refuses them.
    private func checkSelection(
        of property: Property, isPage: Bool, _ projection: CompiledProjection?
    ) throws(RequestFault) {
        if let name = fields != nil ? "fields" : expand != nil ? "expand" : nil, !isPage {
            throw .parameter(
                name, "'\(property.name)' is not a collection of objects; leave '\(name)' out.")
        }
        if expand != nil, projection != nil {
            throw .parameter("expand", "A projection excludes 'expand'; leave it out.")
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
