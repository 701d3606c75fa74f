import HoldfastObjectModel
import HoldfastRows
import HoldfastText

/// Looks up the names of a path, one after the other, in the classes they belong to.
///
/// The same rules serve the query language, sort lists and dotted paths of `fields` and `expand`.
struct PathResolver {
    /// The property named last, not yet followed.
    enum Pending {
        case nothing
        case member(Int, ListPosition?)
        case inverse(originClass: Int, member: Int)
        case lengths(Int)
        case mixed(Int, [MixedPath.Step])
        case terminal(ValuePath.Terminal, ValueType)
    }

    /// The most links and embedded objects that a path may follow: the things that depend on a path are kept with
    /// the way to each of its steps, which takes memory with the square of its length.
    static let stepCountMax = 100

    let schema: RowSchema
    let root: QueryRoot
    let source: SourceText
    /// The clause that a path stands in when it is not a predicate's, for messages.
    var clause: String?
    /// The number of steps to the beginning of the path, within a subquery.
    var outerStepCount = 0
    /// Is told of the names in the text of a rule.
    var rule: RuleScope?
    var steps: [PathStep] = []
    /// The property of the root class that the path begins with, see ``ValuePath/firstMember``.
    var firstMember: Int?
    /// The position of the property named last in its class; nil after a step that is not a property.
    var namedMember: Int?
    var pending = Pending.nothing
    /// The inverse link that the path stands on, by position; −1 on another property, and on `@links`.
    var inverseLink = -1
    var isIndexed = false
    /// The declared type that a final `@type` asks for, as a ``KindSet``: a constant. And where it stands.
    var declaredKinds: (kinds: Int64, start: Int)?

    /// The class of the object where the steps end; −1 where values are filtered.
    var classIndex: Int { steps.last?.toClass ?? root.classIndex }

    var rowClass: RowClass { schema.classes[classIndex] }

    /// Returns the declared type of a property, for messages.
    func typeName(_ member: Int) -> String {
        switch rowClass.definition.properties[member].type {
        case .single(.scalar(let scalar)): ValueType.scalar(scalar).name
        case .single(.object), .linkingObjects: "link"
        case .list(.scalar(let scalar)), .set(.scalar(let scalar)), .map(.scalar(let scalar)):
            ValueType.scalar(scalar).name
        case .list(.object), .set(.object): "linklist"
        case .map(.object): "linkdictionary"
        }
    }

    /// Takes the next name.
    mutating func name(_ name: String, at offset: Int) throws(QueryError) {
        if standsInMixed {
            return _ = try enterMixed(.position(.key(Array(name.utf8))), at: offset)
        }
        if case .values(let scalar) = root { return try subject(name, scalar, at: offset) }
        if case .member(let member, nil) = pending, isTextCollection(member),
            name.lowercased() == "length"
        {
            pending = .lengths(member)
            namedMember = nil
            return
        }
        if isKey(name) { return try position(.key(Array(name.utf8)), at: offset) }
        try follow(before: name, at: offset)
        try limitSteps(at: offset)
        guard let member = rowClass.member(named: name) else { throw unknown(name, at: offset) }
        namedMember = member
        rule?.note(rowClass.definition.name, name, at: offset)
        if steps.isEmpty { firstMember = member }
        if case .linkingObjects = rowClass.definition.properties[member].type {
            let compiled = rowClass.members[member]
            guard rowClass.definition.kind != .embedded || !steps.isEmpty else {
                throw source.fault(
                    .type,
                    "'\(name)' leads to the object around '\(rowClass.definition.name)', which is not read here; "
                        + "ask from that object.", at: offset)
            }
            pending = .inverse(originClass: compiled.classIndex, member: compiled.originProperty)
            inverseLink = member
        } else {
            pending = .member(member, nil)
        }
        isIndexed = false
    }

    /// Refuses a path that is too long, together with the paths of the subqueries around it.
    func limitSteps(at offset: Int) throws(QueryError) {
        guard outerStepCount + steps.count <= Self.stepCountMax else {
            throw source.fault(
                .limit,
                "A path may follow at most \(Self.stepCountMax) links and embedded objects"
                    + (outerStepCount > 0 ? ", with those of the subqueries around it." : "."),
                at: offset)
        }
    }

    private mutating func subject(
        _ name: String, _ scalar: ScalarType, at offset: Int
    ) throws(QueryError) {
        guard case .nothing = pending, name == "self" else {
            throw source.fault(
                .unknownProperty,
                "A value has no property '\(name)'; in a collection of values 'self' names an element.",
                at: offset, hint: "self")
        }
        pending = .terminal(.subject, .scalar(scalar))
    }

    /// Whether a name behind a map is one of its keys: a property of the objects that it holds comes before a key.
    private func isKey(_ name: String) -> Bool {
        guard case .member(let member, nil) = pending, !isIndexed,
            rowClass.members[member].storage.shape == .map
        else { return false }
        let target = rowClass.members[member].classIndex
        return target < 0 || schema.classes[target].member(named: name) == nil
    }

    private func isTextCollection(_ member: Int) -> Bool {
        let storage = rowClass.members[member].storage
        return storage.shape != .single && storage.shape != .map
            && (storage.element == .string || storage.element == .data || storage.element == .mixed)
    }

    /// Goes along the property named last.
    mutating func follow(before name: String, at offset: Int) throws(QueryError) {
        switch pending {
        case .nothing: return
        case .member(let member, let position):
            let element = rowClass.members[member].storage.element
            guard element == .embedded || element == .link else {
                throw noProperty(of: member, name, at: offset)
            }
            steps.append(PathStep(along: member, of: rowClass, at: position))
        case .inverse(let originClass, let member):
            steps.append(PathStep(backTo: originClass, member, from: rowClass, by: inverseLink))
            inverseLink = -1
        case .lengths(let member): throw noProperty(of: member, name, at: offset)
        case .mixed:
            throw source.fault(.type, "'\(name)' can't follow a value of type 'mixed'.", at: offset)
        case .terminal(_, let type):
            throw source.fault(
                .unknownProperty, "A value of type '\(type.name)' has no property '\(name)'",
                at: offset)
        }
        pending = .nothing
    }

    private func noProperty(of member: Int, _ name: String, at offset: Int) -> QueryError {
        let property = rowClass.definition.properties[member]
        var isCollection = false
        if case .member(_, nil) = pending {
            isCollection = rowClass.members[member].storage.shape != .single
        }
        let isLength =
            !isCollection && [.string, .data].contains(property.scalar)
            && ["length", "size", "count"].contains(name.lowercased())
        return source.fault(
            .unknownProperty,
            "Property '\(rowClass.definition.name).\(property.name)' has no property '\(name)'"
                + (isLength ? "; '@count' is the number of its bytes" : ""), at: offset,
            hint: isCollection
                ? operation(name, of: property.scalar, at: offset) : isLength ? "@count" : nil)
    }

    /// Returns the operation on several values that a name behind them stands for, as in `cities.count`.
    ///
    /// - `scalar`: The values' type; nil for objects, of which a property has to follow.
    func operation(
        _ name: String, of scalar: ScalarType? = nil, at offset: Int
    ) -> String? {
        let operation = "@" + name.lowercased()
        switch Syntax.Step.Kind(operation: operation) {
        case .count?: return operation
        case .aggregate(let function)?:
            let isPossible =
                scalar.map { function.result(of: $0) != nil }
                ?? (source[offset + name.utf8.count] == UInt8(ascii: "."))
            return isPossible ? operation : nil
        default: return nil
        }
    }

    mutating func links(
        className: String, classAt: Int, property: String, propertyAt: Int
    ) throws(QueryError) {
        try standOnObject(at: classAt)
        let target = rowClass.definition.name
        let message =
            "No property '\(property)' found in type '\(className)' which links to type '\(target)'"
        guard let originClass = schema.rowClass(named: className) else {
            throw source.fault(
                .unknownClass, message + ": there is no such class", at: classAt,
                hint: NearestName.of(className, among: schema.definition.classes.lazy.map(\.name)))
        }
        guard !originClass.isAsymmetric else {
            throw source.fault(
                .unknownClass,
                "'\(className)' is an asymmetric class: its objects are never read, and no query reaches "
                    + "them.", at: classAt)
        }
        guard let member = originClass.member(named: property),
            originClass.members[member].storage.element == .link,
            originClass.members[member].storage.shape != .none,
            originClass.members[member].classIndex == classIndex
        else {
            let linking = originClass.members.indices.filter {
                !originClass.unknown.contains($0)
                    && originClass.members[$0].storage.element == .link
                    && originClass.members[$0].classIndex == classIndex
            }
            throw source.fault(
                .unknownProperty, message, at: propertyAt,
                hint: NearestName.of(
                    property, among: linking.map { originClass.definition.properties[$0].name }))
        }
        rule?.note(className, nil, at: classAt)
        rule?.note(className, property, at: propertyAt)
        pending = .inverse(originClass: originClass.index, member: member)
        isIndexed = false
    }

    /// Takes `@links.@count`.
    mutating func incomingCount(at offset: Int) throws(QueryError) {
        try standOnObject(at: offset)
        guard rowClass.definition.kind == .object else {
            throw source.fault(.type, "An embedded object has no inverse links.", at: offset)
        }
        pending = .terminal(.incomingCount, .scalar(.int))
    }

    private mutating func standOnObject(at offset: Int) throws(QueryError) {
        if case .values = root {
            throw source.fault(
                .type, "A value has no inverse links; '@links' needs an object.", at: offset)
        }
        try follow(before: "@links", at: offset)
    }

    /// Takes `[*]`, which all collections mean anyway.
    mutating func allElements(at offset: Int) throws(QueryError) {
        if try enterMixed(.all, at: offset) { return }
        guard case .member(let member, nil) = pending, !isIndexed,
            rowClass.members[member].storage.shape != .single
        else { throw notIndexable("*", at: offset) }
        isIndexed = true
    }

    /// Takes a position in a list, or a key of a map.
    mutating func position(_ position: ListPosition, at offset: Int) throws(QueryError) {
        if try enterMixed(.position(position), at: offset) { return }
        if case .key = position {
            pending = .member(try map("a key", at: offset), position)
            isIndexed = true
            namedMember = nil
            return
        }
        guard case .member(let member, nil) = pending, !isIndexed,
            rowClass.members[member].storage.shape == .list
        else { throw notIndexable("n", at: offset) }
        isIndexed = true
        pending = .member(member, position)
    }

    mutating func keys(at offset: Int) throws(QueryError) {
        if try enterMixed(.keys, at: offset) { return }
        pending = .terminal(.keys(member: try map("'@keys'", at: offset)), .scalar(.string))
    }

    /// Takes `@values`, which a map stands for anyway.
    mutating func values(at offset: Int) throws(QueryError) {
        if try enterMixed(.all, at: offset) { return }
        _ = try map("'@values'", at: offset)
        isIndexed = true
    }

    /// Returns the map that the path has come to.
    private func map(_ use: String, at offset: Int) throws(QueryError) -> Int {
        guard case .member(let member, nil) = pending, !isIndexed,
            rowClass.members[member].storage.shape == .map
        else { throw source.fault(.type, "Only a map property takes \(use).", at: offset) }
        return member
    }

    private func notIndexable(_ index: String, at offset: Int) -> QueryError {
        if isIndexed {
            return source.fault(
                .type, "Only Property of type 'any' can have nested collections", at: offset)
        }
        guard case .member(let member, _) = pending else {
            return source.fault(.type, "Only a list property takes an index.", at: offset)
        }
        let definition = rowClass.definition
        let name = "'\(definition.name).\(definition.properties[member].name)'"
        return source.fault(
            .type,
            rowClass.members[member].storage.shape == .set
                ? "Property \(name) is a set, which has no positions; only a list takes an index."
                : "Property \(name) is not a list; only a list takes an index.", at: offset)
    }

    mutating func count(at offset: Int) throws(QueryError) {
        if finishMixed(.count, .scalar(.int)) { return }
        let terminal: ValuePath.Terminal
        switch pending {
        case .terminal(.subject, let type) where type == .scalar(.string) || type == .scalar(.data):
            terminal = .subjectByteCount
        case .terminal(_, let type):
            throw source.fault(
                .type, "Operation '@size' is not supported on property of type '\(type.name)'",
                at: offset)
        case .nothing, .lengths, .mixed:
            throw source.fault(.type, "Operation '@size' needs a property.", at: offset)
        case .inverse(let originClass, let member):
            terminal =
                rowClass.definition.kind == .embedded
                ? .holderCount(originClass: originClass, member: member)
                : .inverseCount(originClass: originClass, member: member)
        case .member(let member, let position):
            let storage = rowClass.members[member].storage
            let isObject = storage.element == .link || storage.element == .embedded
            switch (storage.shape == .single, isObject, position) {
            case (true, true, _): terminal = .presence(member: member)
            case (false, true, nil): terminal = .objectCount(member: member)
            case (false, false, nil): terminal = .count(member: member)
            case (false, true, let position?): terminal = .presenceAt(member: member, position)
            case (true, false, _) where storage.element == .string || storage.element == .data:
                terminal = .byteCount(member: member)
            case (false, false, let position?)
            where storage.element == .string || storage.element == .data:
                terminal = .byteCountAt(member: member, position)
            default:
                throw source.fault(
                    .type,
                    "Operation '@size' is not supported on property of type '\(typeName(member))'",
                    at: offset)
            }
        }
        pending = .terminal(terminal, .scalar(.int))
    }

    /// Returns the finished path.
    func path(at offset: Int) throws(QueryError) -> ValuePath {
        if let declaredKinds { throw source.constantKinds(at: declaredKinds.start) }
        let terminal: ValuePath.Terminal
        let type: ValueType
        switch pending {
        case .nothing: throw source.fault(.type, "The path names no property.", at: offset)
        case .terminal(let known, let knownType): (terminal, type) = (known, knownType)
        case .lengths(let member): (terminal, type) = (.lengths(member: member), .scalar(.int))
        case .mixed(let member, let steps): (terminal, type) = mixedTerminal(member, steps)
        case .inverse(let originClass, let member):
            let isObject = schema.classes[originClass].definition.kind == .object
            terminal =
                rowClass.definition.kind == .embedded
                ? .holder(originClass: originClass, member: member)
                : .inverse(originClass: originClass, member: member)
            type = isObject ? .link(classIndex: originClass) : .embedded(classIndex: originClass)
        case .member(let member, let position):
            let compiled = rowClass.members[member]
            if let position {
                terminal = .elementAt(member: member, position)
            } else {
                terminal =
                    compiled.storage.shape == .single
                    ? .value(member: member) : .elements(member: member)
            }
            switch rowClass.definition.properties[member].type.element {
            case .scalar(let scalar)?: type = .scalar(scalar)
            case .object?, nil:
                type =
                    compiled.storage.element == .embedded
                    ? .embedded(classIndex: compiled.classIndex)
                    : .link(classIndex: compiled.classIndex)
            }
        }
        return ValuePath(
            root: root, steps: steps, terminal: terminal, type: type, firstMember: firstMember,
            inverseLink: inverseLink)
    }
}
