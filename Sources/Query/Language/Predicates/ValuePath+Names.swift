import HoldfastObjectModel
import HoldfastRows
import HoldfastText

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
                    throw source.fault(
                        .unknownProperty, "'\(text)' is not a property.", at: start)
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
            "There is no '\(name)'; behind a property may stand \(known.joined(separator: ", ")).",
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
