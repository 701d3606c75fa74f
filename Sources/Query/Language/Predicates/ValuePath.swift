import HoldfastObjectModel
import HoldfastRows
import HoldfastText

/// The path from the queried object to the values that are compared.
package struct ValuePath: Hashable, Sendable {
    /// The part that is read where the steps end.
    package enum Terminal: Hashable, Sendable {
        /// The value of a single property; a to-one link as a link.
        case value(member: Int)
        /// Each element of a list or set, or each value of a map.
        case elements(member: Int)
        /// One element of a list, or one value of a map.
        case elementAt(member: Int, ListPosition)
        /// Each key of a map.
        case keys(member: Int)
        /// The byte count of each element of a list or set of strings or data; 0 for null.
        case lengths(member: Int)
        /// The number of elements of a list or set of values.
        case count(member: Int)
        /// The number of objects of a list or set of them.
        case objectCount(member: Int)
        /// The byte count of a string or data property.
        case byteCount(member: Int)
        /// The byte count of one string or data of a list or map.
        case byteCountAt(member: Int, ListPosition)
        /// 1 when a to-one link or embedded object is there, else 0.
        case presence(member: Int)
        /// 1 when a list of objects has this element, else 0.
        case presenceAt(member: Int, ListPosition)
        /// Each object with a property that links here.
        case inverse(originClass: Int, member: Int)
        /// The number of links that lead here from a property.
        case inverseCount(originClass: Int, member: Int)
        /// The row that holds this embedded object, if it does so in the property.
        case holder(originClass: Int, member: Int)
        /// 1 where that is so, else 0.
        case holderCount(originClass: Int, member: Int)
        /// The number of links that lead here from anywhere.
        case incomingCount
        /// An aggregate of the elements of a collection of values.
        case aggregate(AggregateFunction, member: Int)
        /// An aggregate of a property of all objects that the steps lead to.
        case objectAggregate(AggregateFunction, member: Int)
        /// The values at the end of a path within the `mixed` values of a property.
        case mixed(member: Int, MixedPath)
        /// The number of objects at the end of the steps that satisfy a predicate.
        case matchCount(Predicate)
        /// The value itself, where values are filtered.
        case subject
        /// The byte count of the value itself.
        case subjectByteCount
        /// The values at the end of a path within the value itself, which is `mixed`.
        case subjectMixed(MixedPath)
    }

    /// The start of the path.
    package var root: QueryRoot
    /// The way to the last object.
    package var steps: [PathStep]
    /// The part that is read there.
    package var terminal: Terminal
    /// The type of the values read; int for counts.
    package var type: ValueType
    /// The property of the root class that the path begins with; nil where values are filtered, and for
    /// `@links`. Two inverse links of one property differ in nothing else.
    package var firstMember: Int?
    /// The inverse link by which ``Terminal/inverse(originClass:member:)`` and the like lead back; see ``PathStep/inverseLink``.
    var inverseLink: Int

    package init(
        root: QueryRoot, steps: [PathStep], terminal: Terminal, type: ValueType,
        firstMember: Int? = nil, inverseLink: Int = -1
    ) {
        self.root = root
        self.firstMember = firstMember
        self.inverseLink = inverseLink
        self.steps = steps
        self.terminal = terminal
        self.type = type
    }

    /// Returns the rest of the path behind some steps, from the objects that they lead to on.
    func behind(_ stepCount: Int) -> ValuePath {
        guard stepCount > 0 else { return self }
        var rest = self
        rest.root = .objects(classIndex: steps[stepCount - 1].toClass)
        rest.steps.removeFirst(stepCount)
        return rest
    }

    /// The class of the object where the steps end; −1 when values are filtered.
    package var lastClass: Int { steps.last?.toClass ?? root.classIndex }

    /// Whether one of the steps may lead to several objects.
    var crossesMany: Bool { steps.contains(where: \.isMany) }

    /// Whether every step leads to one object at most, named by the step alone.
    var isToOne: Bool { steps.allSatisfy { $0.kind == .link || $0.kind == .embedded } }

    /// Whether it is a count that is added up over all objects the steps lead to.
    var isSum: Bool {
        switch terminal {
        case .objectCount, .presence, .presenceAt, .inverseCount, .holderCount, .incomingCount,
            .matchCount:
            true
        default: false
        }
    }

    /// Whether it is one value made of all objects that the steps lead to.
    var isFold: Bool {
        if case .objectAggregate = terminal { true } else { isSum }
    }

    /// Whether the path stands for several values.
    package var isMany: Bool {
        switch terminal {
        case .elements, .keys, .lengths, .inverse, .holder: true
        case _ where isFold: false
        case .mixed(_, let path): crossesMany || path.manyCount > 0
        case .subjectMixed(let path): path.manyCount > 0
        default: crossesMany
        }
    }

    /// Whether it leads through several objects to a collection of values in each, which are compared one collection at a time.
    var isGrouped: Bool {
        switch terminal {
        case .mixed(_, let path):
            return path.endsInMany && path.manyCount + (crossesMany ? 1 : 0) > 1
        case .subjectMixed(let path): return path.endsInMany && path.manyCount > 1
        case _ where !crossesMany: return false
        case .lengths, .keys: return true
        // The value under a key is compared like a collection of one.
        case .elementAt(_, .key), .elements:
            guard case .scalar = type else { return false }
            return true
        default: return false
        }
    }

    /// The property, if the path is one single property of the root object.
    package var ownMember: Int? {
        if steps.isEmpty, case .value(let member) = terminal { member } else { nil }
    }
}

extension ValuePath {
    /// Reads a dotted path of property names, as in `fields` and `expand`: `home.city`, `dogs.owner`, and perhaps a
    /// count or an aggregate at its end: `dogs.@count`, `dogs.@max.age`, `scores.@avg`. Unlike in a query, names stand
    /// as they are, blanks included, and nothing but properties has one.
    ///
    /// - Throws: ``QueryError`` with the column in `text`.
    package init(dotted text: String, rootClass: Int, schema: RowSchema) throws(QueryError) {
        let source = SourceText(text)
        var resolver = PathResolver(
            schema: schema, root: .objects(classIndex: rootClass), source: source)
        var names = source.split(0..<source.bytes.count, at: UInt8(ascii: "."))[...]
        while let name = names.popFirst() {
            let text = try source.name(name)
            let start = name.lowerBound
            switch Syntax.Step.Kind(operation: text) {
            case .count?: try resolver.count(at: start)
            case .aggregate(let function)?:
                if let property = names.popFirst() {
                    try resolver.aggregate(
                        function, at: start, of: try source.name(property),
                        nameAt: property.lowerBound)
                } else {
                    try resolver.aggregate(function, at: start)
                }
            default:
                if text.hasPrefix("@") { throw Self.noOperation(text, source, start) }
                try resolver.name(text, at: start)
                guard resolver.namedMember != nil else {
                    throw source.fault(.unknownProperty, "'\(text)' is not a property.", at: start)
                }
            }
        }
        self = try resolver.path(at: 0)
    }

    private static func noOperation(
        _ name: String, _ source: SourceText, _ offset: Int
    ) -> QueryError {
        let known = ["@count"] + AggregateFunction.allCases.map(\.name)
        return source.fault(
            .unknownProperty,
            "There is no '\(name)'; after a property, use \(known.joined(separator: ", ")).",
            at: offset, hint: NearestName.of(name, among: known))
    }

    /// Whether its value may change without a new version of the object that it begins at.
    package var readsOtherObjects: Bool {
        switch terminal {
        case .inverse, .inverseCount, .incomingCount, .matchCount: true
        default: steps.contains(where: \.isLinkLike)
        }
    }

    /// The way to the objects that the path ends in; nil where it ends in values.
    package var stepsToObjects: [PathStep]? {
        let isEmbedded: Bool
        let target: Int
        switch type {
        case .link(let classIndex): (isEmbedded, target) = (false, classIndex)
        case .embedded(let classIndex): (isEmbedded, target) = (true, classIndex)
        case .scalar, .kinds: return nil
        }
        let kind: PathStep.Kind
        let last: Int
        switch terminal {
        case .value(let member): (kind, last) = (isEmbedded ? .embedded : .link, member)
        case .elements(let member): (kind, last) = (isEmbedded ? .embeddedList : .links, member)
        case .elementAt(let member, let position):
            (kind, last) = (isEmbedded ? .embeddedAt(position) : .linkAt(position), member)
        case .inverse(_, let member): (kind, last) = (.inverse, member)
        case .holder(_, let member): (kind, last) = (.holder, member)
        default: return nil
        }
        let step = PathStep(
            kind: kind, fromClass: lastClass, toClass: target, member: last,
            inverseLink: inverseLink)
        return steps + [step]
    }
}
