import ObjectModel
import Rows

extension ValuePath {
    /// Reads a dotted path of property names, as in `fields` and `expand`: `home.city`, `dogs.owner`. Unlike in a
    /// query, names stand as they are, blanks included, and nothing but properties has one.
    ///
    /// - Throws: ``QueryError`` with the column in `text`.
    package init(dotted text: String, rootClass: Int, schema: RowSchema) throws(QueryError) {
        let source = SourceText(text)
        var resolver = PathResolver(
            schema: schema, root: .objects(classIndex: rootClass), source: source)
        for name in source.split(0..<source.bytes.count, at: UInt8(ascii: ".")) {
            try resolver.name(try source.name(name), at: name.lowerBound)
            guard resolver.namedMember != nil else {
                throw source.fault(
                    .unknownProperty, "'\(source.text(name))' is not a property.",
                    at: name.lowerBound)
            }
        }
        self = try resolver.path(at: 0)
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
        default: return nil
        }
        return steps + [PathStep(kind: kind, fromClass: lastClass, toClass: target, member: last)]
    }
}
