import HoldfastObjectModel
import HoldfastTestSupport

/// Makes random projections that hold in a schema.
struct RandomProjections {
    private let schema: Schema
    private let classes: [String: ObjectClass]
    private(set) var made: [Projection] = []

    init(_ schema: Schema) {
        self.schema = schema
        classes = Dictionary(
            schema.classes.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Adds a projection, of a class if one is named.
    mutating func make(_ className: String? = nil, _ random: inout SeededGenerator) {
        guard let base = className ?? schema.classes.randomElement(using: &random)?.name else {
            return
        }
        var projection = Projection(
            name: "Shown\(made.count)", className: base, properties: [])
        for number in 0..<Int.random(in: 1...6, using: &random) {
            if let property = makeProperty("p\(number)", base, &random) {
                projection.properties.append(property)
            }
        }
        if Projection.faults(of: made + [projection], in: schema).isEmpty {
            made.append(projection)
        }
    }

    private func makeProperty(_ name: String, _ base: String, _ random: inout SeededGenerator)
        -> Projection.Property?
    {
        // Most random walks lead somewhere.
        for _ in 0..<8 {
            var path: [String] = []
            var owner = base
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                guard let property = classes[owner]?.properties.randomElement(using: &random) else {
                    break
                }
                path.append(property.name)
                guard case .object(let next)? = property.type.element else { break }
                owner = next
            }
            path += calculation(path.last ?? "", owner, &random)
            guard
                let value = try? ProjectedValue(
                    path, from: base,
                    in: Dictionary(
                        uniqueKeysWithValues: classes.map { (ExactText($0.key), $0.value) }))
            else { continue }
            let fitting = made.filter { $0.className == value.projectedClass }
            let inner =
                value.isMapped || Int.random(in: 0...2, using: &random) == 0
                ? nil : fitting.randomElement(using: &random)
            return Projection.Property(name: name, path: path, projection: inner?.name)
        }
        return nil
    }

    /// Perhaps a count or an aggregate, which need not go together with what stands before it.
    ///
    /// - `className`: Where the objects are that stand there, if there are some.
    private func calculation(
        _ name: String, _ className: String, _ random: inout SeededGenerator
    ) -> [String] {
        switch Int.random(in: 0...5, using: &random) {
        case 0: return ["@count"]
        case 1...2:
            let function = AggregateFunction.allCases.randomElement(using: &random) ?? .sum
            let numbers = ["age", "weight"].filter {
                classes[className]?.propertyIndex(named: $0) != nil
            }
            return [function.name] + (name == "scores" ? [] : numbers)
        default: return []
        }
    }
}

extension Projection {
    /// The definition as a client puts it.
    var body: String {
        let members = properties.map { property in
            let path = "\"\(property.pathText)\""
            let value =
                property.projection.map { "{\"path\":\(path),\"projection\":\"\($0)\"}" } ?? path
            return "\"\(property.name)\":\(value)"
        }
        return "{\"class\":\"\(className)\",\"properties\":{\(members.joined(separator: ","))}}"
    }
}
