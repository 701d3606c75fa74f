import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastQuery
import HoldfastRows

/// The definition of a change stream, as the client stated it: it can be checked again when the schema has
/// changed.
package final class StreamDefinition: Sendable {
    /// The subject that is followed.
    package enum Target: Hashable, Sendable {
        case store
        case objects(className: String)
        case object(className: String, key: Value)
        /// The objects that a projection shows, or the one with a key, in the projection's names.
        case projection(name: String, key: Value?)
        /// The objects of an asymmetric class, in the order in which they came.
        case outbox(className: String)
        /// A property of an object, or what steps from there into `mixed` values lead to; a projection may show the
        /// objects that it holds.
        indirect case property(
            className: String, key: Value, name: String, path: [[UInt8]], projection: String?)
    }

    let target: Target
    let filter: String?
    let arguments: [QueryArgument]
    let fields: String?
    let expand: String?
    let telling: StreamTelling
    package let quotesLargeInts: Bool
    /// The form of the result that is followed as a whole; nil for the changes of its objects.
    let result: ResultForm?
    /// How long what happens is folded into one event.
    package let intervalMilliseconds: Int
    /// The intervals that may be asked for, in milliseconds.
    package static let intervals = 10...10_000
    /// The stated parameters of another one.
    package static let intervalRule =
        "'interval' is a number of milliseconds from \(intervals.lowerBound) to \(intervals.upperBound)."

    /// The subject that it shows of the objects, apart from a selection: a projection or a property; nil where it is the objects
    /// themselves.
    var shown: Target? {
        switch target {
        case .store, .objects, .object: nil
        case .projection(let name, _): .projection(name: name, key: nil)
        case .property, .outbox: target
        }
    }

    /// Takes a definition from the parts of a query that streams have.
    ///
    /// - `result`: The form of the result that is followed as a whole; nil for the changes of its objects.
    package init(
        of target: Target, _ text: QueryText, _ telling: StreamTelling, quotesLargeInts: Bool,
        result: ResultForm? = nil, intervalMilliseconds: Int = 0
    ) {
        self.target = target
        self.telling = telling
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
    /// - `sight`: What its followers may read, of that schema; nil for everything.
    /// - Throws: ``RequestFault`` `.notFound` for an unknown class, `.malformed` for a faulty filter or selection.
    package func checked(
        _ names: SchemaNames, _ limits: ServiceLimits, for sight: Sight? = nil
    ) throws(RequestFault) -> CheckedStream {
        let schema = names.schema
        let rowClass: RowClass
        var projection: CompiledProjection?
        if telling.tellsOld, result != nil || intervalMilliseconds > 0 {
            throw .parameter(
                "old",
                "A live list and an 'interval' do not tell what was before; leave 'old' out, and compare with what was "
                    + "told before.")
        }
        switch target {
        case .store:
            return CheckedStream(
                definition: self, names: names,
                observed: ObservedQuery(
                    target: .store, predicate: nil, filterPaths: [], schema: schema, sight: sight),
                selection: nil, projection: nil, compared: nil, for: sight)
        case .outbox(let name):
            let rowClass = try schema.asymmetricClass(named: name)
            return CheckedStream(
                definition: self, names: names,
                observed: ObservedQuery(
                    target: .objects(classIndex: rowClass.index), predicate: nil,
                    filterPaths: [], schema: schema, sight: sight),
                selection: nil, projection: nil, compared: nil, for: sight)
        case .property(let className, _, let name, let path, let projection):
            let rowClass = try names.objectClass(named: className)
            guard let member = rowClass.member(named: name) else {
                throw .unknownProperty(name, rowClass)
            }
            return try checked(rowClass, member, path, shownBy: projection, names, for: sight)
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
        text.isInBody = telling.query != nil
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
            filterPaths = compiled.predicate.dependencies(schema)
        }
        let selection: FieldSelection
        let readPaths: [Dependency]
        let compared = try telling.compared(of: rowClass, projection, names)
        if let projection {
            selection = try projection.selection(fields: fields)
            readPaths = projection.paths(schema)
        } else {
            selection = try names.selection(fields: fields, expand: expand, of: rowClass)
            readPaths =
                try Self.paths(expand, of: .expand, rowClass, schema)
                + Self.paths(fields, of: .fields, rowClass, schema)
        }
        // Of what is shown the key paths alone count.
        var shownPaths = readPaths
        if let keyPaths = telling.keyPaths {
            shownPaths =
                if let projection {
                    projection.paths(schema, of: compared?.labels)
                } else {
                    try Self.paths(keyPaths, of: .keyPaths, rowClass, schema)
                }
        }
        let followed = try result?.checked(
            ofShown(text), of: container(rowClass, projection), names, limits)
        if let followed {
            shownPaths =
                (followed.showsObjects ? shownPaths : []) + followed.dependencies(schema)
        }
        return CheckedStream(
            definition: self, names: names,
            observed: ObservedQuery(
                target: try observedTarget(rowClass), predicate: predicate,
                filterPaths: filterPaths, shownPaths: shownPaths, readPaths: readPaths,
                countsEverything: compared == nil && followed?.showsObjects ?? true,
                schema: schema, sight: sight),
            selection: selection, projection: projection, compared: compared, result: followed,
            for: sight)
    }

    /// Checks the definition against the present schema, for what a caller may read now.
    ///
    /// - Throws: ``RequestFault`` as ``checked(_:_:for:)``.
    package func checked(
        _ served: ServedStore, for caller: Caller
    ) throws(RequestFault) -> CheckedStream {
        let sight = try served.sight(of: caller)
        return try checked(served.names(of: sight), served.limits, for: sight)
    }

    /// The filter with what is shown.
    private func ofShown(_ filter: QueryText) -> QueryText {
        var text = filter
        text.fields = fields
        text.expand = expand
        return text
    }

    private func container(
        _ rowClass: RowClass, _ projection: CompiledProjection?
    ) -> ObjectContainer {
        projection.map { .projection($0.definition.name) } ?? .ofClass(rowClass.definition.name)
    }

    func observedTarget(_ rowClass: RowClass) throws(RequestFault) -> ObservedQuery.Target {
        let key: Value
        switch target {
        case .object(_, let named), .projection(_, let named?), .property(_, let named, _, _, _):
            key = named
        case .store, .objects, .projection, .outbox: return .objects(classIndex: rowClass.index)
        }
        if rowClass.primaryKeyIndex == nil {
            guard case .int(let number) = key else { throw KeyText.wrongType(rowClass) }
            return .object(classIndex: rowClass.index, key: UInt64(bitPattern: number))
        }
        guard let ordered = OrderedKey(key) else { throw KeyText.wrongType(rowClass) }
        return .keyed(classIndex: rowClass.index, primaryKey: ordered)
    }

    /// A parameter that is a list of paths.
    enum PathList: String {
        case expand, fields, keyPaths
    }

    /// Finds the reads of a list of paths.
    ///
    /// - Throws: ``RequestFault`` `.malformed` for a path that leads nowhere, of which nobody could be told.
    static func paths(
        _ list: String?, of parameter: PathList, _ rowClass: RowClass, _ schema: RowSchema
    ) throws(RequestFault) -> [Dependency] {
        let all = (list ?? "").split(separator: ",").map { $0.droppingBlanks.split(separator: ".") }
        let own = all.map { ownNames($0, rowClass, schema)[...] }
        // `fields=home,home.city` shows all of the home; `$owner` beside a path through it is a link.
        let ledOn = Set(
            parameter != .fields
                ? []
                : own.flatMap { path in
                    path.indices.dropFirst()
                        .filter { path[$0 - 1] != "$owner" && !path[$0].hasPrefix("@") }
                        .map { path[..<$0] }
                })
        var found: [Dependency] = []
        do throws(QueryError) {
            for (names, own) in zip(all, own) {
                let path = ledOn.contains(own) ? names + ["*"] : names
                found += try paths(path[...], isExpanded: parameter == .expand, rowClass, schema)
            }
        } catch {
            throw RequestFault(error, parameter: parameter.rawValue)
        }
        return found
    }

    /// The names of a path's properties, of each the one and only; what leads nowhere by itself stays as it is.
    private static func ownNames(
        _ path: [Substring], _ rowClass: RowClass, _ schema: RowSchema
    ) -> [String] {
        var rowClass: RowClass? = rowClass
        return path.map { name in
            guard let holder = rowClass, let member = holder.member(named: String(name)) else {
                rowClass = nil
                return String(name)
            }
            let next = holder.members[member].classIndex
            rowClass = next >= 0 ? schema.classes[next] : nil
            return holder.definition.properties[member].name
        }
    }

    private static func paths(
        _ all: ArraySlice<Substring>, isExpanded: Bool, _ rowClass: RowClass,
        _ schema: RowSchema
    ) throws(QueryError) -> [Dependency] {
        var paths: [Dependency] = []
        let ownerIndex = all.firstIndex(of: "$owner")
        var names = all[..<(ownerIndex ?? all.endIndex)]
        // A wildcard or `$id` at the end stands for the object that it is in.
        let isWhole = names.last == "*"
        if let last = names.last, last == "*" || last.hasPrefix("$") { names.removeLast() }
        if names.isEmpty, isWhole {
            paths += everything(of: rowClass, behind: [], firstMember: nil)
        }
        // An expanded path shows every object on its way.
        for count in 1..<(names.count + 1) where count == names.count || isExpanded {
            let path = try ValuePath(
                dotted: names.prefix(count).joined(separator: "."), rootClass: rowClass.index,
                schema: schema)
            paths += path.dependencies(schema)
            guard let steps = path.stepsToObjects, let target = steps.last?.toClass, target >= 0
            else { continue }
            let targetClass = schema.classes[target]
            let firstMember = path.firstMember
            // An inverse link shows embedded objects as they are.
            let isShown = steps.last?.kind == .inverse && targetClass.definition.kind == .embedded
            if isExpanded || isWhole || isShown {
                paths += everything(of: targetClass, behind: steps, firstMember: firstMember)
            }
            guard count == names.count, let ownerIndex else { continue }
            let rest = all[(ownerIndex + 1)...]
            for owner in schema.ownerClasses(of: target).map({ schema.classes[$0] }) {
                // One that lacks the name is shown without it.
                let name = rest.first.map(String.init) ?? "*"
                guard name == "*" || name.hasPrefix("$") || owner.member(named: name) != nil else {
                    continue
                }
                var inner = try Self.paths(rest, isExpanded: isExpanded, owner, schema)
                if isExpanded { inner += everything(of: owner, behind: [], firstMember: nil) }
                paths += inner.map {
                    Dependency(
                        classIndex: $0.classIndex, member: $0.member, path: steps + $0.path,
                        firstMember: firstMember)
                }
            }
        }
        return paths
    }

    /// Every property of the objects that a path leads to.
    ///
    /// - `firstMember`: The property that the path begins with; nil where there is no path.
    static func everything(
        of rowClass: RowClass, behind steps: [PathStep], firstMember: Int?
    ) -> [Dependency] {
        let members = rowClass.members
        return members.indices.filter { members[$0].storage.shape != .none }.map {
            Dependency(
                classIndex: rowClass.index, member: $0, path: steps,
                firstMember: firstMember ?? $0)
        }
    }
}
